// A plot one can zoom: the frames were computed by the package when the book was built.
"use strict";

(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 640, HEIGHT = 330, LEFT = 20, RIGHT = 20, TOP = 16, BOTTOM = 44;

  function make(parent, tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  const atX = (t) => LEFT + (t + 1) / 2 * (WIDTH - LEFT - RIGHT);
  const atY = (y) => TOP + (1 - y) * (HEIGHT - TOP - BOTTOM);
  const path = (points) => points.map(([t, y], k) => (k ? "L" : "M") + atX(t).toFixed(1) + " " + atY(y).toFixed(1)).join(" ");

  for (const figure of document.querySelectorAll("figure.zoom")) {
    const frames = JSON.parse(figure.dataset.frames);
    const svg = figure.querySelector("svg");
    const slider = figure.querySelector("input");
    const output = figure.querySelector("output");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    make(svg, "line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: atY(0), y2: atY(0) });
    make(svg, "line", { class: "touch", x1: atX(0), x2: atX(0), y1: TOP, y2: atY(0) });
    const cone = make(svg, "path", { class: "cone" });
    const curve = make(svg, "path", { class: "curve" });
    make(svg, "text", { x: atX(0), y: HEIGHT - 8, "text-anchor": "middle" }, "0 (the segment touches the ball)");
    const left = make(svg, "text", { x: LEFT, y: atY(0) + 18 });
    const right = make(svg, "text", { x: WIDTH - RIGHT, y: atY(0) + 18, "text-anchor": "end" });

    function show() {
      const frame = frames[Number(slider.value)];
      curve.setAttribute("d", path(frame.curve));
      cone.setAttribute("d", path(frame.cone) + " Z");
      left.textContent = "−" + frame.width;
      right.textContent = frame.width;
      output.textContent = frame.text;
      slider.setAttribute("aria-valuetext", frame.text);
      figure.dataset.frame = slider.value;
    }
    slider.max = String(frames.length - 1);
    slider.addEventListener("input", show);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      slider.value = String(Number(slider.value) + (event.deltaY < 0 ? 1 : -1));
      show();
    }, { passive: false });
    show();
  }
})();
