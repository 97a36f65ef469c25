// The pointer or the keyboard on an item of the map brings out all that it needs, and what needs it.
(() => {
  for (const graph of document.querySelectorAll(".map-graph svg")) {
    const arrows = [...graph.querySelectorAll(".arrow")], boxes = [...graph.querySelectorAll(".box")];
    const closure = (start, from, to) => {
      const found = new Set([start]), used = new Set();
      for (const name of found) {
        for (const arrow of arrows) {
          if (arrow.dataset[from] === name) { used.add(arrow); found.add(arrow.dataset[to]); }
        }
      }
      return [found, used];
    };
    const show = (box) => {
      const [needs, down] = closure(box.dataset.item, "from", "to");
      const [needed, up] = closure(box.dataset.item, "to", "from");
      graph.classList.add("chosen");
      for (const arrow of arrows) arrow.classList.toggle("down", down.has(arrow));
      for (const arrow of arrows) arrow.classList.toggle("up", up.has(arrow));
      for (const one of boxes) one.classList.toggle("lit", needs.has(one.dataset.item) || needed.has(one.dataset.item));
    };
    const clear = () => graph.classList.remove("chosen");
    for (const box of boxes) {
      for (const event of ["mouseenter", "focus"]) box.addEventListener(event, () => show(box));
      for (const event of ["mouseleave", "blur"]) box.addEventListener(event, clear);
    }
  }
})();
