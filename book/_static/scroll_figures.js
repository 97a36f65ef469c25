// A figure that is wider than its place, as on a phone, says that it scrolls, and can be scrolled by the keyboard.
addEventListener("DOMContentLoaded", () => {
  const watch = new ResizeObserver((changes) => {
    for (const { target: figure } of changes) {
      const scrolls = getComputedStyle(figure).overflowX === "auto" && figure.scrollWidth > figure.clientWidth + 1;
      figure.classList.toggle("scrolls", scrolls);
      if (scrolls) figure.tabIndex = 0;
      else figure.removeAttribute("tabindex");
    }
  });
  for (const figure of document.querySelectorAll(".bd-content .cell_output figure")) watch.observe(figure);
});
