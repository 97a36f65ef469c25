// A plot one can zoom: the frames were computed by the package when the book was built.
"use strict";

(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 640, HEIGHT = 360, LEFT = 120, RIGHT = 24, TOP = 24, BOTTOM = 84;

  function make(parent, tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  const atX = (t) => LEFT + (t + 1) / 2 * (WIDTH - LEFT - RIGHT);
  const atY = (y) => TOP + (1 - y) * (HEIGHT - TOP - BOTTOM);
  const path = (points) => points.map(([t, y], k) => (k ? "L" : "M") + atX(t).toFixed(2) + " " + atY(y).toFixed(2)).join(" ");

  for (const figure of document.querySelectorAll("figure.zoom")) {
    const frames = JSON.parse(figure.dataset.frames);
    const svg = figure.querySelector("svg");
    const slider = figure.querySelector("input");
    const output = figure.querySelector("output");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    const allowed = make(svg, "path", { class: "allowed" });
    make(svg, "line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: atY(0), y2: atY(0) });
    make(svg, "line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: atY(0) });
    make(svg, "line", { class: "touch", x1: atX(0), x2: atX(0), y1: TOP, y2: atY(0) });
    const bound = make(svg, "path", { class: "bound" });
    const curve = make(svg, "path", { class: "curve" });
    const ticks = make(svg, "g", { class: "ticks" });
    const middle = (TOP + atY(0)) / 2;
    make(svg, "text", { x: 26, y: middle, "text-anchor": "middle", transform: `rotate(-90 26 ${middle})` }, "change of D");
    make(svg, "text", { x: atX(0), y: HEIGHT - 14, "text-anchor": "middle" }, "t (at 0 the segment touches the ball)");

    function show() {
      const frame = frames[Number(slider.value)];
      curve.setAttribute("d", path(frame.curve));
      bound.setAttribute("d", path(frame.bound));
      allowed.setAttribute("d", path([...frame.bound, [1, 0], [-1, 0]]) + " Z");
      ticks.replaceChildren();
      for (const [y, label] of frame.ticks) {
        make(ticks, "line", { class: "axis", x1: LEFT - 5, x2: LEFT, y1: atY(y), y2: atY(y) });
        make(ticks, "text", { class: "tick", x: LEFT - 9, y: atY(y), dy: "0.35em", "text-anchor": "end", "data-y": atY(y) }, label);
      }
      for (const [t, label] of [[-1, "−" + frame.width], [0, "0"], [1, frame.width]]) {
        make(ticks, "text", { x: atX(t), y: atY(0) + 26, "text-anchor": t === 1 ? "end" : "middle" }, label);
      }
      output.textContent = frame.text;
      slider.setAttribute("aria-valuetext", frame.text);
      figure.dataset.frame = slider.value;
    }
    slider.max = String(frames.length - 1);
    slider.addEventListener("input", show);
    show();
  }
})();
