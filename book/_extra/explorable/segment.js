// The explorable figure of the chapter "A segment meets a ball": Definition 8 and Table 2, by hand.
"use strict";

(function () {
  const figure = document.getElementById("explorable-segment");
  if (!figure) return;
  const { along, difference } = window.lmlirGeometry;
  const { make, movable, set } = window.lmlirDrawing;
  const plane = figure.querySelector(".explorable-plane");
  const axis = figure.querySelector(".explorable-axis");
  const rowsBox = figure.querySelector(".explorable-rows");
  const HALF_WIDTH = 6;
  const LIMITS = { x: 5.7, y: 3.2 };

  const ROWS = [
    { short: "misses", sentence: "the line misses the ball, so γ = 0.", state: { x_i: [-4, 2.4], x_j: [4, 2.4], o: [0, -0.4], r: 2 } },
    { short: "touches", sentence: "the line touches the ball in one point, so γ = 0.", state: { x_i: [-4, 1.5], x_j: [4, 1.5], o: [0, -0.5], r: 2 } },
    { short: "behind xᵢ", sentence: "the ball lies behind x_i: λ_p = λ_q = 0.", state: { x_i: [0.5, 1], x_j: [4.5, 2], o: [-3, 0], r: 1.8 } },
    { short: "around xᵢ", sentence: "x_i is inside, x_j is not: from x_i to v.", state: { x_i: [-1.5, 0.3], x_j: [4, 1.6], o: [-1.5, 0], r: 2 } },
    { short: "around both", sentence: "the whole segment is inside: γ = 1.", state: { x_i: [-1.2, -0.6], x_j: [1.4, 0.8], o: [0, 0], r: 2.6 } },
    { short: "within", sentence: "the ball cuts a piece out of the middle: from u to v.", state: { x_i: [-4.4, -1.2], x_j: [4.4, 1.6], o: [0.2, -0.2], r: 1.9 } },
    { short: "around xⱼ", sentence: "x_j is inside, x_i is not: from u to x_j.", state: { x_i: [-4, 1.6], x_j: [1.5, 0.3], o: [1.5, 0], r: 2 } },
    { short: "beyond xⱼ", sentence: "the ball lies beyond x_j: λ_p = λ_q = 1.", state: { x_i: [-4.5, 2], x_j: [-0.5, 1], o: [3, 0], r: 1.8 } },
  ];

  let state = copyOf(ROWS[5].state);
  let pixels = 50; // per unit of the plane
  let size = { width: 600, height: 350 };
  let spoke = [Math.cos(-0.9), Math.sin(-0.9)]; // from the center to the handle of the radius

  function copyOf(s) { return { x_i: [...s.x_i], x_j: [...s.x_j], o: [...s.o], r: s.r }; }
  function intersect({ x_i, x_j, o, r }) { return window.lmlirGeometry.intersect(x_i, x_j, o, r); }

  function toScreen(point) { return [size.width / 2 + point[0] * pixels, size.height / 2 - point[1] * pixels]; }
  function toPlane(event) {
    const box = plane.getBoundingClientRect();
    return [(event.clientX - box.left - size.width / 2) / pixels, (size.height / 2 - (event.clientY - box.top)) / pixels];
  }
  function tidy(value, limit) { return Math.round(Math.min(Math.max(value, -limit), limit) * 100) / 100; }
  function tidyPoint(point) { return [tidy(point[0], LIMITS.x), tidy(point[1], LIMITS.y)]; }
  function tidyRadius(value) { return Math.round(Math.min(Math.max(value, 0), 5) * 100) / 100; }
  function number(value) { return value === null || value === undefined ? "–" : (Math.abs(value) < 5e-5 ? 0 : value).toFixed(4); }
  function pointText(point) { return point ? `(${point[0].toFixed(2)}, ${point[1].toFixed(2)})` : "–"; }

  // The parts of the picture, back to front.
  const grid = make(plane, "g", { class: "grid" });
  const ball = make(plane, "circle", { class: "ball" });
  const line = make(plane, "line", { class: "line" });
  const segment = make(plane, "line", { class: "segment" });
  const piece = make(plane, "line", { class: "piece" });
  const marks = {};
  for (const name of ["u", "v", "p", "q"]) {
    marks[name] = make(plane, "g", { class: "mark mark-" + name });
    if (name === "u" || name === "v") make(marks[name], "circle", { r: 6 });
    else make(marks[name], "rect", { x: -4.5, y: -4.5, width: 9, height: 9, transform: "rotate(45)" });
    make(marks[name], "text", { y: name === "u" || name === "v" ? 24 : -13 }, name);
  }
  const spokeLine = make(plane, "line", { class: "spoke" });

  const HANDLES = [
    { name: "x_i", label: "x_i, the start of the segment", letter: "x", index: "i", get: () => state.x_i, move: (p) => { state.x_i = tidyPoint(p); } },
    { name: "x_j", label: "x_j, the end of the segment", letter: "x", index: "j", get: () => state.x_j, move: (p) => { state.x_j = tidyPoint(p); } },
    { name: "o", label: "o, the center of the ball", letter: "o", index: "", get: () => state.o, move: (p) => { state.o = tidyPoint(p); } },
    { name: "r", label: "r, the radius of the ball", letter: "r", index: "", get: radiusHandle, move: dragRadius },
  ];
  function dragRadius(p) {
    const way = difference(p, state.o), length = Math.hypot(way[0], way[1]);
    if (length > 0) spoke = [way[0] / length, way[1] / length];
    state.r = tidyRadius(length);
  }
  function radiusHandle() { return beyond(state.o, spoke, state.r); }
  function beyond(point, way, length) { return [point[0] + length * way[0], point[1] + length * way[1]]; }
  function isVisible(point) { return Math.abs(point[0]) < HALF_WIDTH - 0.15 && Math.abs(point[1]) < size.height / 2 / pixels - 0.15; }
  // Turn the spoke as little as possible until its end can be seen and grabbed.
  function turnSpoke() {
    const angle = Math.atan2(spoke[1], spoke[0]);
    for (let k = 0; k <= 32; k++) {
      const turned = angle + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * Math.PI / 16;
      const direction = k === 0 ? spoke : [Math.cos(turned), Math.sin(turned)];
      if (isVisible(beyond(state.o, direction, state.r))) { spoke = direction; return; }
    }
  }

  for (const handle of HANDLES) {
    const group = make(plane, "g", { class: "handle handle-" + handle.name });
    handle.group = group;
    make(group, "circle", { class: "reach", r: 22 });
    if (handle.name === "r") make(group, "rect", { class: "knob", x: -6, y: -6, width: 12, height: 12, rx: 2 });
    else make(group, "circle", { class: "knob", r: handle.name === "o" ? 6 : 8 });
    const text = make(group, "text", { x: 12, y: handle.name === "o" || handle.name === "r" ? 18 : -12 });
    text.textContent = handle.letter;
    if (handle.index) { const sub = make(text, "tspan", { dy: 4, "font-size": "70%" }); sub.textContent = handle.index; }
    const grow = (way, step) => { state.r = tidyRadius(state.r + step * (way[0] + way[1])); };
    movable(group, { toPlane, get: handle.get, move: handle.move, nudge: handle.name === "r" ? grow : null, changed: draw });
  }

  // The eight rows as buttons with a small picture of each.
  ROWS.forEach((row, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.row = index + 1;
    button.setAttribute("aria-label", `Row ${index + 1}: ${row.sentence}`);
    const icon = make(button, "svg", { viewBox: "-6 -3.4 12 6.8", "aria-hidden": "true" });
    make(icon, "circle", { class: "ball", cx: row.state.o[0], cy: -row.state.o[1], r: row.state.r });
    make(icon, "line", { class: "segment", x1: row.state.x_i[0], y1: -row.state.x_i[1], x2: row.state.x_j[0], y2: -row.state.x_j[1] });
    const found = intersect(row.state);
    if (found.gamma > 0) {
      const p = along(row.state.x_i, row.state.x_j, found.lambda_p), q = along(row.state.x_i, row.state.x_j, found.lambda_q);
      make(icon, "line", { class: "piece", x1: p[0], y1: -p[1], x2: q[0], y2: -q[1] });
    }
    const caption = document.createElement("span");
    caption.textContent = `${index + 1} ${row.short}`;
    button.appendChild(caption);
    button.addEventListener("click", () => { state = copyOf(row.state); draw(); });
    rowsBox.appendChild(button);
  });

  function place(mark, point) {
    mark.style.display = point ? "" : "none";
    if (point) { const [x, y] = toScreen(point); mark.setAttribute("transform", `translate(${x} ${y})`); }
  }
  function drawLine(element, a, b) {
    const [x1, y1] = toScreen(a), [x2, y2] = toScreen(b);
    set(element, { x1, y1, x2, y2 });
  }

  function drawAxis(found) {
    axis.replaceChildren();
    const width = size.width, from = -0.75, to = 1.75, height = 58;
    set(axis, { viewBox: `0 0 ${width} ${height}`, width, height });
    const at = (t) => 14 + (Math.min(Math.max(t, from), to) - from) / (to - from) * (width - 28);
    make(axis, "line", { class: "line", x1: at(from), x2: at(to), y1: 28, y2: 28 });
    make(axis, "line", { class: "segment", x1: at(0), x2: at(1), y1: 28, y2: 28 });
    if (found.lambda_u !== null) {
      const left = at(found.lambda_u), right = at(found.lambda_v);
      make(axis, "rect", { class: "ball", x: left, width: Math.max(right - left, 0), y: 18, height: 20, rx: 4 });
      make(axis, "line", { class: "piece", x1: at(found.lambda_p), x2: at(found.lambda_q), y1: 28, y2: 28 });
      if (found.lambda_u > from) make(axis, "text", { x: left, y: 12, "text-anchor": "middle" }, "λᵤ");
      if (found.lambda_v < to) make(axis, "text", { x: right, y: 12, "text-anchor": "middle" }, "λᵥ");
    }
    for (const t of [0, 1]) {
      make(axis, "line", { class: "tick", x1: at(t), x2: at(t), y1: 22, y2: 34 });
      make(axis, "text", { x: at(t), y: 53, "text-anchor": "middle" }, String(t));
    }
    make(axis, "text", { x: at(to), y: 53, "text-anchor": "end" }, "λ");
  }

  function show(found, points) {
    const values = {
      gamma: number(found.gamma), row: String(found.row), sentence: ROWS[found.row - 1].sentence,
      delta: number(found.delta), radius: state.r.toFixed(2),
      "lambda-u": number(found.lambda_u), "lambda-v": number(found.lambda_v),
      "lambda-p": number(found.lambda_p), "lambda-q": number(found.lambda_q),
      u: pointText(points.u), v: pointText(points.v), p: pointText(points.p), q: pointText(points.q),
    };
    for (const [name, text] of Object.entries(values)) {
      const element = figure.querySelector(`[data-name="${name}"]`);
      if (element.textContent !== text) element.textContent = text;
    }
    figure.dataset.state = JSON.stringify(state);
    figure.dataset.gamma = String(found.gamma);
    figure.dataset.row = String(found.row);
    for (const button of rowsBox.children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.row) === found.row));
    }
    for (const handle of HANDLES) {
      const where = handle.name === "r" ? state.r.toFixed(2) : pointText(handle.get());
      handle.group.setAttribute("aria-label", `${handle.label}: ${where}; gamma is ${values.gamma}, row ${values.row}`);
    }
  }

  function draw() {
    const found = intersect(state), d = difference(state.x_j, state.x_i);
    const points = {};
    if (found.lambda_u !== null) {
      points.u = along(state.x_i, state.x_j, found.lambda_u);
      points.v = along(state.x_i, state.x_j, found.lambda_v);
      points.p = along(state.x_i, state.x_j, found.lambda_p);
      points.q = along(state.x_i, state.x_j, found.lambda_q);
    }
    const [cx, cy] = toScreen(state.o);
    set(ball, { cx, cy, r: state.r * pixels });
    const length = Math.hypot(d[0], d[1]) || 1;
    drawLine(line, along(state.x_i, state.x_j, -30 / length), along(state.x_i, state.x_j, 30 / length));
    drawLine(segment, state.x_i, state.x_j);
    drawLine(piece, points.p || state.x_i, points.q || state.x_i);
    piece.style.display = found.gamma > 0 ? "" : "none";
    for (const name of ["u", "v"]) place(marks[name], points[name]);
    for (const name of ["p", "q"]) place(marks[name], found.gamma > 0 ? points[name] : null);
    turnSpoke();
    drawLine(spokeLine, state.o, radiusHandle());
    for (const handle of HANDLES) place(handle.group, handle.get());
    drawAxis(found);
    show(found, points);
  }

  function resize() {
    const width = Math.max(figure.clientWidth, 200);
    size = { width, height: Math.round(Math.max(width * 0.56, Math.min(width, 270))) };
    pixels = width / (2 * HALF_WIDTH);
    set(plane, { viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height });
    grid.replaceChildren();
    for (let k = -6; k <= 6; k++) {
      const [x] = toScreen([k, 0]), [, y] = toScreen([0, k]);
      make(grid, "line", { x1: x, x2: x, y1: 0, y2: size.height });
      if (y > 0 && y < size.height) make(grid, "line", { x1: 0, x2: size.width, y1: y, y2: y });
    }
    draw();
  }

  new ResizeObserver(resize).observe(figure);
  resize();
  figure.dataset.ready = "true";
})();
