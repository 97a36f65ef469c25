// The playground: balls, metrics and points that can be moved; pieces of a segment, circles, decision map and the trace of gamma.
// <figure class="explorable playground" data-scene="overlap" data-parts="plane numbers"> makes one; without data-parts it has all.
"use strict";

(function () {
  const G = window.lmlirGeometry, SCENES = window.lmlirScenes;
  const { build, color, ellipsePath, levelCurve, make, movable, niceStep, onTheme, set, write } = window.lmlirDrawing;
  const HALF_WIDTH = 6, LIMITS = [5.7, 3.1], MOST_REGIONS = 4, MOST_POINTS = 40, LONGEST_AXIS = 4;
  const PARTS = ["scenes", "plane", "tools", "numbers", "trace", "python"];
  const LAYERS = { pieces: "pieces", circles: "circles of D", hull: "circles of ρ", map: "decision map" };
  const COARSE = { D: 96, f: 48, rho: 24 }, FINE = { D: 192, f: 150, rho: 60 };
  const playgrounds = window.lmlirPlayground ? window.lmlirPlayground.all : [];

  const limited = (value, limit) => Math.round(Math.min(Math.max(value, -limit), limit) * 100) / 100;
  const inPlane = (point) => [limited(point[0], LIMITS[0]), limited(point[1], LIMITS[1])];
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const four = (value) => (Math.abs(value) < 5e-5 ? 0 : value).toFixed(4);
  const where = (point) => `(${point[0].toFixed(2)}, ${point[1].toFixed(2)})`;

  function playground(figure) {
    const parts = (figure.dataset.parts || PARTS.join(" ")).split(" ");
    let state, ellipses, size = { width: 600, height: 336 }, pixels = 50, handles = [], fields = {}, work = null, asked = false;
    let spokes = [], colors = {}, scene = figure.dataset.scene || "pieces", selected = 0, chosenPoint = null, zoom = 0, timer = 0;

    // ------------------------------------------------------------------------------------------------------- the page
    const rest = [...figure.childNodes];
    const box = {};
    for (const part of PARTS) if (parts.includes(part) || part === "plane") box[part] = build(figure, "div", { class: "pg-" + part });
    rest.forEach((node) => figure.appendChild(node)); // the caption stays below
    const canvas = build(box.plane, "canvas", { "aria-hidden": "true" });
    const context = canvas.getContext("2d");
    const plane = make(box.plane, "svg", {
      role: "application",
      "aria-label": "Plane with balls, metric ellipses and points. Tab moves between the handles, arrow keys move a handle, Shift makes the steps small, Delete removes a point.",
    });
    const layer = {};
    for (const name of ["grid", "balls", "ellipses", "chain", "segment", "labels", "points", "regions", "ends"]) layer[name] = make(plane, "g", { class: name });
    const toScreen = (p) => [size.width / 2 + p[0] * pixels, size.height / 2 - p[1] * pixels];
    function toPlane(event) {
      const area = plane.getBoundingClientRect();
      return [(event.clientX - area.left - size.width / 2) / pixels, (size.height / 2 - (event.clientY - area.top)) / pixels];
    }

    // ------------------------------------------------------------------------------------------------------- handles
    function handle(parent, kind, shape, label, get, options) {
      const group = make(parent, "g", { class: `handle handle-${kind}` });
      make(group, "circle", { class: "reach", r: 17 });
      if (shape === "square") make(group, "rect", { class: "knob", x: -5, y: -5, width: 10, height: 10, rx: 2 });
      else if (shape === "triangle") make(group, "path", { class: "knob", d: "M0 -7L6.5 5H-6.5Z" });
      else if (shape === "diamond") make(group, "path", { class: "knob", d: "M0 -6L6 0L0 6L-6 0Z" });
      else make(group, "circle", { class: "knob", r: shape });
      const one = { group, get, label, ...options };
      movable(group, { toPlane, get, move: one.move, nudge: one.nudge, changed, held: one.held });
      handles.push(one);
      return group;
    }

    function regionHandles(s) {
      const held = () => select(s), named = `region ${s + 1}`, hue = `region-${s}`;
      handle(layer.regions, `center ${hue}`, 5, () => `Center of ${named}: ${where(state.centers[s])}`, () => state.centers[s],
        { move: (p) => { state.centers[s] = inPlane(p); }, held });
      handle(layer.regions, `radius ${hue}`, "square", () => `Radius of ${named}: ${state.radii[s].toFixed(2)}`, () => spokeEnd(s), {
        move: (p) => {
          const way = G.difference(p, state.centers[s]), length = Math.hypot(...way);
          if (length > 0) spokes[s] = Math.atan2(way[1], way[0]);
          state.radii[s] = Math.abs(limited(length, 5));
        },
        nudge: (way, step) => { state.radii[s] = Math.max(limited(state.radii[s] + step * (way[0] + way[1]), 5), 0); },
        held,
      });
      axisHandles(s, named, hue, held);
    }

    function axisHandles(s, named, hue, held) {
      const center = () => (s < 0 ? backgroundCorner() : state.centers[s]);
      for (const k of [0, 1]) {
        const turn = k * Math.PI / 2;
        const label = () => {
          const degrees = Math.round((ellipses[s].angle + turn) * 180 / Math.PI);
          return `Axis ${k + 1} of the ellipse of ${named}: half-length ${ellipses[s].axes[k].toFixed(2)}, ${((degrees % 180) + 180) % 180} degrees; left and right turn it, up and down stretch it`;
        };
        const get = () => {
          const length = Math.min(ellipses[s].axes[k], longestAxis(s)), angle = ellipses[s].angle + turn;
          return [center()[0] + length * Math.cos(angle), center()[1] + length * Math.sin(angle)];
        };
        const stretch = (length) => { ellipses[s].axes[k] = Math.min(Math.max(Math.round(length * 100) / 100, 0.15), longestAxis(s)); setMetric(s); };
        handle(layer.regions, `axis ${hue}`, "diamond", label, get, {
          move: (p) => {
            const way = G.difference(p, center());
            if (Math.hypot(...way) > 0.05) ellipses[s].angle = Math.atan2(way[1], way[0]) - turn;
            stretch(Math.hypot(...way));
          },
          nudge: (way, step) => { ellipses[s].angle -= way[0] * step * Math.PI / 3.6; stretch(ellipses[s].axes[k] + step * way[1]); },
          held,
        });
      }
    }

    function pointHandle(name, k) {
      const list = state[name], sign = name === "X_plus" ? "positive" : "negative";
      const group = handle(layer.points, sign, sign === "positive" ? "triangle" : 5.5, () => `Point ${k + 1} of the ${sign} class: ${where(list[k])}; Delete removes it`,
        () => list[k], { move: (p) => { list[k] = inPlane(p); }, held: () => { chosenPoint = [name, k]; markChosen(); } });
      group.addEventListener("keydown", (event) => { if (event.key === "Delete" || event.key === "Backspace") { event.preventDefault(); removePoint(name, k); } });
    }

    function endHandle(name, index) {
      const group = handle(layer.ends, name, 7, () => `${name}, ${name === "x_i" ? "start" : "end"} of the segment: ${where(state[name])}`, () => state[name],
        { move: (p) => { state[name] = inPlane(p); } });
      const text = make(group, "text", { x: 10, y: -10 }, "x");
      make(text, "tspan", { dy: 4, "font-size": "70%" }, index);
    }

    const longestAxis = (s) => (s < 0 ? 1.1 : LONGEST_AXIS);
    const backgroundCorner = () => [-HALF_WIDTH + 1.25, -size.height / 2 / pixels + 1.25];
    const spokeEnd = (s) => [state.centers[s][0] + state.radii[s] * Math.cos(spokes[s]), state.centers[s][1] + state.radii[s] * Math.sin(spokes[s])];
    function setMetric(s) {
      if (s < 0) state.background_metric = G.metricOf(ellipses[-1]);
      else state.local_metrics[s] = G.metricOf(ellipses[s]);
    }
    // Turn a spoke as little as possible until its end can be seen and grabbed.
    function turnSpoke(s) {
      for (let k = 0; k <= 32; k++) {
        const angle = spokes[s] + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * Math.PI / 16;
        const x = state.centers[s][0] + state.radii[s] * Math.cos(angle), y = state.centers[s][1] + state.radii[s] * Math.sin(angle);
        if (Math.abs(x) < HALF_WIDTH - 0.2 && Math.abs(y) < size.height / 2 / pixels - 0.2) { spokes[s] = angle; return; }
      }
    }

    // --------------------------------------------------------------------------------------------- adding and removing
    function rebuild() {
      for (const name of ["balls", "ellipses", "segment", "labels", "points", "regions", "ends"]) layer[name].replaceChildren();
      handles = [];
      const S = state.radii.length;
      selected = Math.min(selected, Math.max(S - 1, 0));
      for (let s = 0; s < S; s++) {
        make(layer.balls, "circle", { class: `ball region-${s}` });
        make(layer.balls, "line", { class: `spoke region-${s}` });
        make(layer.ellipses, "path", { class: `ellipse region-${s}` });
      }
      make(layer.ellipses, "path", { class: "ellipse background" });
      make(layer.ellipses, "text", { class: "corner", "text-anchor": "start" }, "background");
      endHandle("x_i", "i");
      endHandle("x_j", "j");
      for (let s = 0; s < S; s++) regionHandles(s);
      axisHandles(-1, "the background", "background", null);
      for (const name of ["X_minus", "X_plus"]) state[name].forEach((_, k) => pointHandle(name, k));
      chosenPoint = null;
    }
    function select(s) { if (selected !== s) { selected = s; changed(); } }
    function markChosen() {
      for (const one of handles) one.group.classList.remove("chosen");
      if (chosenPoint) handles[handles.length - state.X_minus.length - state.X_plus.length + (chosenPoint[0] === "X_plus" ? state.X_minus.length : 0) + chosenPoint[1]].group.classList.add("chosen");
      if (tools.remove) tools.remove.disabled = !chosenPoint;
    }
    function addPoint(name, point) {
      if (state[name].length >= MOST_POINTS) return;
      state[name].push(inPlane(point));
      if (!state.layers.includes("map")) state.layers.push("map");
      rebuild();
      draw();
      changed();
      handles[handles.length - 1 - (name === "X_minus" ? state.X_plus.length : 0)].group.focus({ preventScroll: true });
    }
    function removePoint(name, k) {
      state[name].splice(k, 1);
      rebuild();
      changed();
      if (state[name].length) handles[handles.length - 1 - (name === "X_minus" ? state.X_plus.length : 0)].group.focus({ preventScroll: true });
      markChosen();
    }
    function addRegion() {
      if (state.radii.length >= MOST_REGIONS) return;
      state.centers.push([0, 0.8]);
      state.radii.push(1.2);
      state.local_metrics.push([[2, 0], [0, 2]]);
      ellipses[state.radii.length - 1] = G.ellipseOf([[2, 0], [0, 2]]);
      spokes.push(-0.8);
      selected = state.radii.length - 1;
      rebuild();
      changed();
    }
    function removeRegion() {
      if (!state.radii.length) return;
      for (const name of ["centers", "radii", "local_metrics"]) state[name].splice(selected, 1);
      spokes.splice(selected, 1);
      ellipses = shapes();
      rebuild();
      changed();
    }
    function shapes() {
      const all = state.local_metrics.map(G.ellipseOf);
      all[-1] = G.ellipseOf(state.background_metric);
      return all;
    }

    // ---------------------------------------------------------------------------------------------------- the numbers
    const neighbors = () => Math.min(state.K, state.X_minus.length, state.X_plus.length);
    function gridPoints(columns, rows) {
      const points = [], top = size.height / 2 / pixels;
      for (let j = 0; j <= rows; j++) for (let i = 0; i <= columns; i++) points.push([-HALF_WIDTH + 2 * HALF_WIDTH * i / columns, top - 2 * top * j / rows]);
      return points;
    }
    const rowsFor = (columns) => Math.max(Math.round(columns * size.height / size.width), 2);
    function segmentNumbers() {
      const { x_i, x_j } = state, found = state.radii.map((r, s) => G.intersect(x_i, x_j, state.centers[s], r));
      const gamma = found.map((f) => f.gamma), local = state.local_metrics.map((M) => G.metricLength(x_i, x_j, M));
      const background = G.metricLength(x_i, x_j, state.background_metric);
      return {
        gamma, rows: found.map((f) => f.row), lambda: found.map((f) => [f.lambda_p, f.lambda_q]), local, background,
        gamma_b_exact: G.exactBackgroundRatio(x_i, x_j, state), gamma_b_approximate: Math.max(1 - gamma.reduce((a, b) => a + b, 0), 0),
        D_exact: G.distance(x_i, x_j, state, true), D_approximate: G.distance(x_i, x_j, state, false),
        f: neighbors() ? G.decisionValue(x_i, state.X_minus, state.X_plus, neighbors(), state, state.exact) : null,
      };
    }
    function numbers() {
      const points = gridPoints(COARSE.rho, rowsFor(COARSE.rho));
      return { ...segmentNumbers(), K: neighbors(), rho: G.hull([state.x_i, state.x_j, ...points], state, state.exact).rho[1], hull_points: points };
    }

    // --------------------------------------------------------------------------------------------------------- fields
    function field(columns, value) {
      const rows = rowsFor(columns), values = new Float64Array((columns + 1) * (rows + 1)), top = size.height / 2 / pixels, at = [0, 0];
      for (let j = 0, n = 0; j <= rows; j++) {
        at[1] = top - 2 * top * j / rows;
        for (let i = 0; i <= columns; i++, n++) { at[0] = -HALF_WIDTH + 2 * HALF_WIDTH * i / columns; values[n] = value(at); }
      }
      return { columns, rows, values };
    }
    // Chains through the nodes of a grid; between the nodes interpolated, and nowhere above D.
    function* hullField(columns, D) {
      const rows = rowsFor(columns), points = [state.x_i, state.x_j, ...gridPoints(columns, rows)];
      const { rho, before } = yield* G.shortestChains(points, state, state.exact);
      const chain = [];
      for (let at = 1; at >= 0; at = before[at]) chain.push(points[at]);
      const values = new Float64Array(D.values.length), stride = columns + 1;
      for (let j = 0, n = 0; j <= D.rows; j++) {
        const v = j / D.rows * rows, row = Math.min(Math.floor(v), rows - 1), t = v - row;
        for (let i = 0; i <= D.columns; i++, n++) {
          const u = i / D.columns * columns, column = Math.min(Math.floor(u), columns - 1), w = u - column, k = 2 + row * stride + column;
          const between = (1 - t) * ((1 - w) * rho[k] + w * rho[k + 1]) + t * ((1 - w) * rho[k + stride] + w * rho[k + stride + 1]);
          values[n] = Math.min(D.values[n], between);
        }
      }
      return { columns: D.columns, rows: D.rows, values, chain, length: rho[1], count: points.length };
    }
    function* computed(detail) {
      const next = {}, shown = (name) => state.layers.includes(name);
      if (shown("circles") || shown("hull")) next.D = field(detail.D, (x) => G.distance(state.x_i, x, state, state.exact));
      yield;
      if (shown("hull")) next.rho = yield* hullField(detail.rho, next.D);
      if (shown("map") && neighbors()) {
        const K = neighbors();
        next.f = { columns: detail.f, rows: rowsFor(detail.f), values: [] };
        const top = size.height / 2 / pixels, at = [0, 0];
        for (let j = 0; j <= next.f.rows; j++) {
          at[1] = top - 2 * top * j / next.f.rows;
          for (let i = 0; i <= detail.f; i++) {
            at[0] = -HALF_WIDTH + 2 * HALF_WIDTH * i / detail.f;
            next.f.values.push(G.decisionValue(at, state.X_minus, state.X_plus, K, state, state.exact));
          }
          yield;
        }
      }
      return next;
    }

    // ------------------------------------------------------------------------------------------------------- painting
    function paintMap(f) {
      const width = f.columns + 1, height = f.rows + 1, image = new ImageData(width, height);
      const largest = f.values.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-9);
      f.values.forEach((value, n) => {
        const [r, g, b] = value > 0 ? colors.plus : colors.minus, strength = Math.min(Math.abs(value) / largest * 3, 1);
        image.data.set([r, g, b, value === 0 ? 0 : 45 + 75 * strength], 4 * n);
      });
      const small = new OffscreenCanvas(width, height);
      small.getContext("2d").putImageData(image, 0, 0);
      const cell = [size.width / f.columns, size.height / f.rows]; // nodes lie on the border: half a cell of the image is outside
      context.drawImage(small, -cell[0] / 2, -cell[1] / 2, size.width + cell[0], size.height + cell[1]);
      strokeLevels(f, [0], colors.ink, 1, 1.6);
    }
    function strokeLevels(f, levels, [r, g, b], opacity, width) {
      context.beginPath();
      for (const level of levels) levelCurve(context, f.values, f.columns, f.rows, size.width, size.height, level);
      context.strokeStyle = `rgb(${r} ${g} ${b} / ${opacity})`;
      context.lineWidth = width;
      context.lineCap = "round";
      context.stroke();
    }
    function paint() {
      context.clearRect(0, 0, size.width, size.height);
      if (fields.f) paintMap(fields.f);
      if (fields.D) {
        const largest = fields.D.values.reduce((m, v) => Math.max(m, v), 0), step = niceStep(largest || 1, 12), levels = [];
        for (let level = step; level < largest; level += step) levels.push(level);
        if (fields.rho) strokeLevels(fields.rho, levels, colors.hull, 0.45, 4.5);
        if (state.layers.includes("circles")) strokeLevels(fields.D, levels, colors.circle, 1, 1.3);
        figure.dataset.step = String(step);
      }
      drawChain();
    }
    function drawChain() {
      const points = fields.rho ? fields.rho.chain.map(toScreen) : [];
      layer.chain.replaceChildren();
      if (points.length) make(layer.chain, "path", { class: "chain", d: points.map(([x, y], k) => (k ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("") });
    }

    function drawRegions() {
      const balls = layer.balls.children, curves = layer.ellipses.children, S = state.radii.length;
      for (let s = 0; s < S; s++) {
        const [cx, cy] = toScreen(state.centers[s]);
        turnSpoke(s);
        const [x2, y2] = toScreen(spokeEnd(s));
        set(balls[2 * s], { cx, cy, r: state.radii[s] * pixels });
        set(balls[2 * s + 1], { x1: cx, y1: cy, x2, y2 });
        curves[s].setAttribute("d", ellipsePath(state.centers[s], ellipses[s], 1, toScreen, LONGEST_AXIS));
        curves[s].classList.toggle("selected", s === selected);
      }
      curves[S].setAttribute("d", ellipsePath(backgroundCorner(), ellipses[-1], 1, toScreen, longestAxis(-1)));
      set(curves[S + 1], { x: 8, y: size.height - 8 });
    }
    // The segment, and beside it each region's piece with its length; pieces that overlap lie side by side.
    function drawSegment(found) {
      layer.segment.replaceChildren();
      layer.labels.replaceChildren();
      const a = toScreen(state.x_i), b = toScreen(state.x_j), length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      const normal = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
      const at = (t, off) => [a[0] + t * (b[0] - a[0]) + off * normal[0], a[1] + t * (b[1] - a[1]) + off * normal[1]];
      const stroke = (from, to, off, kind) => {
        const [x1, y1] = at(from, off), [x2, y2] = at(to, off);
        make(layer.segment, "line", { class: kind, x1, y1, x2, y2 });
      };
      const note = (from, to, off, kind, value) => {
        if (Math.abs(to - from) * length < 26) return;
        const [x, y] = at((from + to) / 2, off);
        make(layer.labels, "text", { class: kind, x, y, "text-anchor": "middle", dy: "0.35em" }, value.toFixed(2));
      };
      stroke(0, 1, 0, "segment");
      if (!state.layers.includes("pieces")) return;
      const lanes = laneOf(found), side = normal[1] < 0 ? -1 : 1;
      found.gamma.forEach((gamma, s) => {
        if (!(gamma > 0)) return;
        const [p, q] = found.lambda[s];
        stroke(p, q, side * (lanes[s] * 7), `piece region-${s}`);
        note(p, q, side * (lanes[s] * 16 + 17), `region-${s}`, gamma * found.local[s]);
      });
      for (const piece of G.pieces(state.x_i, state.x_j, state)) {
        if (!piece.by.length) note(piece.from, piece.to, side * -15, "background", (piece.to - piece.from) * found.background);
      }
    }
    function laneOf(found) {
      return found.lambda.map(([p, q], s) => found.lambda.filter(([u, v], t) => t < s && found.gamma[t] > 0 && u < q && p < v).length);
    }
    function placeHandles() {
      for (const one of handles) {
        const [x, y] = toScreen(one.get());
        one.group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      }
    }
    function describe() {
      for (const one of handles) one.group.setAttribute("aria-label", one.label());
      if (box.python) write(box.python.querySelector("pre"), inPython());
    }
    // What is on the screen, as a program on the package that prints the same distance and the same f.
    function inPython() {
      const list = (value) => JSON.stringify(value).replaceAll(",", ", ");
      const lines = ["from lmlir.classifier import decision_value", "from lmlir.distance import distance", ""];
      for (const name of ["x_i", "x_j", "centers", "radii", "local_metrics", "background_metric"]) lines.push(`${name} = ${list(state[name])}`);
      lines.push("Theta = (centers, radii, local_metrics, background_metric)", `print(distance(x_i, x_j, *Theta, exact=${state.exact ? "True" : "False"}))`);
      if (state.layers.includes("map") && neighbors() && !state.exact) {
        lines.push(`X_minus = ${list(state.X_minus)}`, `X_plus = ${list(state.X_plus)}`, `print(decision_value(x_i, X_minus, X_plus, ${neighbors()}, *Theta))`);
      }
      return lines.join("\n");
    }

    // --------------------------------------------------------------------------------------------------------- panels
    const tools = {}, shownNumbers = {}, trace = {};
    function makeTools() {
      if (box.scenes) {
        const row = build(box.scenes, "div", { role: "group", "aria-label": "Scenes" });
        for (const [name, one] of Object.entries(SCENES)) {
          build(row, "button", { type: "button", "data-scene": name }, one.name).addEventListener("click", () => show(name));
        }
        tools.text = build(box.scenes, "p", { "aria-live": "polite" });
      }
      if (!box.tools) return;
      const layers = build(box.tools, "fieldset");
      build(layers, "legend", {}, "Show");
      for (const [name, words] of Object.entries(LAYERS)) {
        const label = build(layers, "label"), input = build(label, "input", { type: "checkbox", "data-layer": name });
        label.append(words);
        input.addEventListener("change", () => {
          state.layers = state.layers.filter((other) => other !== name).concat(input.checked ? [name] : []);
          changed();
        });
      }
      const overlap = build(box.tools, "fieldset"), group = "overlap-" + playgrounds.length;
      build(overlap, "legend", {}, "The background loses an overlap");
      for (const [value, words] of [["twice", "as often as it is counted (the paper)"], ["once", "once (exact)"]]) {
        const label = build(overlap, "label"), input = build(label, "input", { type: "radio", name: group, value });
        label.append(words);
        input.addEventListener("change", () => { state.exact = value === "once"; changed(); });
      }
      const edit = build(box.tools, "fieldset");
      build(edit, "legend", {}, "Add and remove");
      const button = (name, words, action) => { tools[name] = build(edit, "button", { type: "button", "data-action": name }, words); tools[name].addEventListener("click", action); };
      button("minus", "+ ●", () => addPoint("X_minus", freePlace()));
      button("plus", "+ ▲", () => addPoint("X_plus", freePlace()));
      button("remove", "− point", () => chosenPoint && removePoint(...chosenPoint));
      button("region", "+ region", addRegion);
      button("noregion", "− region", removeRegion);
      button("reset", "reset", () => show(scene));
      for (const [name, words] of [["minus", "Add a point of the negative class"], ["plus", "Add a point of the positive class"], ["remove", "Remove the chosen point"], ["region", "Add a region"], ["noregion", "Remove the chosen region"], ["reset", "Back to the scene"]]) tools[name].setAttribute("aria-label", words);
      const label = build(edit, "label", {}, "K ");
      tools.K = build(label, "input", { type: "number", min: 1, max: 5, step: 1, "aria-label": "K, the number of neighbors in equation (10)" });
      tools.K.addEventListener("change", () => { state.K = Math.min(Math.max(Math.round(Number(tools.K.value)) || 1, 1), 5); changed(); });
    }
    // A place that is not on top of another point.
    function freePlace() {
      const taken = [...state.X_minus, ...state.X_plus];
      for (let k = 0; k < 60; k++) {
        const at = inPlane([0.45 * Math.sqrt(k) * Math.cos(2.4 * k), 0.35 * Math.sqrt(k) * Math.sin(2.4 * k)]);
        if (taken.every((other) => Math.hypot(...G.difference(at, other)) > 0.3)) return at;
      }
      return [0, 0];
    }
    function makeNumbers() {
      if (!box.numbers) return;
      const table = build(box.numbers, "table");
      const head = build(build(table, "thead"), "tr");
      for (const words of ["measured by", "share", "× whole length", "= part"]) build(head, "th", { scope: "col" }, words);
      shownNumbers.body = build(table, "tbody");
      shownNumbers.sum = build(box.numbers, "p", { class: "pg-sum" });
      shownNumbers.other = build(box.numbers, "p");
      shownNumbers.lanes = make(box.numbers, "svg", { class: "lanes", role: "img" });
    }
    function showNumbers(found) {
      if (!box.numbers) return;
      const S = state.radii.length, gamma_b = state.exact ? found.gamma_b_exact : found.gamma_b_approximate;
      const D = state.exact ? found.D_exact : found.D_approximate, other = state.exact ? found.D_approximate : found.D_exact;
      const lines = [...found.gamma.map((gamma, s) => [`region ${s + 1}`, gamma, found.local[s], `region-${s}`]), ["background", gamma_b, found.background, "background"]];
      const body = shownNumbers.body;
      while (body.children.length < S + 1) { const row = build(body, "tr"); build(row, "th", { scope: "row" }); for (let k = 0; k < 3; k++) build(row, "td"); }
      while (body.children.length > S + 1) body.lastChild.remove();
      lines.forEach(([name, share, whole, kind], k) => {
        const cells = body.children[k].children;
        body.children[k].className = kind;
        [name, four(share), four(whole), four(share * whole)].forEach((text, c) => write(cells[c], text));
      });
      write(shownNumbers.sum, `D = ${four(D)}`);
      const words = [state.exact ? `With the paper’s share of the background it would be ${four(other)}.` : `With the exact share of the background it would be ${four(other)}.`];
      if (fields.rho) words.push(`Chains through a grid of ${fields.rho.count - 2} points: ρ ≤ ${four(fields.rho.length)}.`);
      if (found.f !== null && state.layers.includes("map")) words.push(`f(xᵢ) = ${four(found.f)} with K = ${neighbors()}.`);
      if (fields.D) words.push(`The circles are around xᵢ, ${figure.dataset.step} apart${fields.rho ? "; those of ρ are the broad bands" : ""}.`);
      write(shownNumbers.other, words.join(" "));
      drawLanes(found);
    }
    // The lambda axis: one lane for each region that meets the segment, and one for what no ball covers.
    function drawLanes(found) {
      const svg = shownNumbers.lanes, width = Math.max(box.numbers.clientWidth, 160), S = state.radii.length, height = 16 * (S + 1) + 22;
      svg.replaceChildren();
      set(svg, { viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": "The segment from 0 to 1, with the stretch that each ball covers and what is left for the background" });
      const at = (t) => 10 + t * (width - 20);
      const bar = (p, q, lane, kind) => make(svg, "line", { class: `lane ${kind}`, x1: at(p), x2: at(q), y1: 10 + 16 * lane, y2: 10 + 16 * lane });
      found.gamma.forEach((gamma, s) => {
        bar(0, 1, s, "empty");
        if (gamma > 0) bar(...found.lambda[s], s, `region-${s}`);
      });
      bar(0, 1, S, "empty");
      for (const piece of G.pieces(state.x_i, state.x_j, state)) if (!piece.by.length) bar(piece.from, piece.to, S, "background");
      for (const t of [0, 1]) make(svg, "text", { x: at(t), y: height - 4, "text-anchor": t ? "end" : "start" }, String(t));
      make(svg, "text", { x: at(0.5), y: height - 4, "text-anchor": "middle" }, "λ");
    }

    function makeTrace() {
      if (!box.trace) return;
      trace.svg = make(box.trace, "svg", { class: "curve", role: "img" });
      const slider = (words, attributes, input) => {
        const label = build(box.trace, "label", {}, words), range = build(label, "input", { type: "range", ...attributes });
        range.addEventListener("input", () => input(Number(range.value)));
        return range;
      };
      trace.radius = slider("radius ", { min: 0, max: 5, step: 0.01 }, (value) => { state.radii[selected] = value; changed(); });
      trace.zoom = slider("zoom ", { min: 0, max: 4, step: 1, value: 0 }, (value) => { zoom = value; changed(); });
      trace.text = build(box.trace, "p");
    }
    function showTrace() {
      if (!box.trace) return;
      const svg = trace.svg, width = Math.max(box.trace.clientWidth, 160), height = 190, left = 46, bottom = 34;
      svg.replaceChildren();
      set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
      const none = !state.radii.length;
      trace.radius.disabled = trace.zoom.disabled = none;
      if (none) { write(trace.text, "There is no region."); return; }
      const o = state.centers[selected], r = state.radii[selected], { x_i, x_j } = state, { height: h, on } = G.passage(x_i, x_j, o);
      const wide = 10 ** -zoom, low = zoom ? Math.max(h - wide / 4, 0) : 0, high = zoom ? h + wide : 5;
      const most = zoom ? Math.max(G.ratio(x_i, x_j, o, high) * 1.15, 1e-12) : 1.05;
      const atX = (x) => left + (x - low) / (high - low) * (width - left - 10), atY = (y) => 8 + (1 - y / most) * (height - bottom - 8);
      const curve = (value, last = high) => {
        let path = "";
        for (let k = 0; k <= 300; k++) { // denser where the root begins
          const x = k < 60 ? low + (h - low) * k / 60 : h + (high - h) * ((k - 60) / 240) ** 2, y = Math.min(value(x), most);
          if (x >= low && x <= Math.min(last, high)) path += (path ? "L" : "M") + atX(x).toFixed(2) + " " + atY(y).toFixed(2);
        }
        return path;
      };
      make(svg, "line", { class: "axis", x1: left, x2: width - 10, y1: atY(0), y2: atY(0) });
      make(svg, "line", { class: "axis", x1: left, x2: left, y1: 8, y2: atY(0) });
      const span = Math.hypot(...G.difference(x_j, x_i));
      if (on && h > 1e-9 && h < high && span > 0) { // the law of the root, up to twice the radius of the tangency
        make(svg, "line", { class: "touch", x1: atX(h), x2: atX(h), y1: 8, y2: atY(0) });
        make(svg, "path", { class: "root", d: curve((x) => (x > h ? 2 * Math.sqrt(2 * h * (x - h)) / span : 0), 2 * h) });
      }
      make(svg, "path", { class: `gamma region-${selected}`, d: curve((x) => G.ratio(x_i, x_j, o, x)) });
      if (r >= low && r <= high) make(svg, "circle", { class: `now region-${selected}`, cx: atX(r), cy: atY(G.ratio(x_i, x_j, o, r)), r: 5 });
      const digits = zoom + 1, label = (x) => (zoom ? x.toFixed(digits) : String(x));
      for (const x of zoom ? [h, high] : [0, 1, 2, 3, 4, 5]) make(svg, "text", { x: atX(x), y: atY(0) + 16, "text-anchor": x === high && zoom ? "end" : "middle" }, label(x));
      const tick = zoom ? niceStep(most, 2) : 0.5;
      for (let y = 0; y < most; y += tick) make(svg, "text", { x: left - 5, y: atY(y), dy: "0.35em", "text-anchor": "end" }, String(Number(y.toPrecision(3))));
      make(svg, "text", { class: "name", x: left + 6, y: 18 }, "γ");
      make(svg, "text", { class: "name", x: width - 12, y: atY(0) - 8, "text-anchor": "end" }, "r");
      trace.radius.value = r;
      trace.radius.setAttribute("aria-label", `radius of region ${selected + 1}`);
      trace.zoom.setAttribute("aria-valuetext", `${10 ** zoom} times`);
      const words = `Region ${selected + 1}: γ = ${four(G.ratio(x_i, x_j, o, r))} at r = ${r.toFixed(2)}. `;
      const why = span === 0 ? "The segment is a point." : !on ? "The line comes nearest to the center beyond an end of the segment, so γ begins with a finite slope."
        : h < 1e-9 ? "The center lies on the line: γ begins as a straight line."
        : `The line passes at ${four(h)} from the center: there γ begins like a square root (dashed), with infinite slope.`;
      write(trace.text, words + why);
      svg.setAttribute("aria-label", `The share of the segment against the radius. ${words}${why}`);
    }

    function showTools() {
      if (tools.text) write(tools.text, SCENES[scene].text);
      for (const button of figure.querySelectorAll("[data-scene]")) button.setAttribute("aria-pressed", String(button.dataset.scene === scene));
      for (const input of figure.querySelectorAll("[data-layer]")) input.checked = state.layers.includes(input.dataset.layer);
      for (const input of figure.querySelectorAll(".pg-tools input[type=radio]")) input.checked = (input.value === "once") === state.exact;
      if (!box.tools) return;
      if (document.activeElement !== tools.K) tools.K.value = state.K;
      tools.region.disabled = state.radii.length >= MOST_REGIONS;
      tools.noregion.disabled = !state.radii.length;
      tools.remove.disabled = !chosenPoint;
    }

    // --------------------------------------------------------------------------------------------------- when to draw
    function draw() {
      asked = false;
      fields = G.finish(computed(COARSE));
      const found = segmentNumbers();
      layer.points.style.display = state.layers.includes("map") ? "" : "none";
      drawRegions();
      drawSegment(found);
      paint();
      placeHandles();
      showNumbers(found);
      showTrace();
      showTools();
    }
    function changed() {
      work = null;
      figure.dataset.refined = "false";
      clearTimeout(timer);
      timer = setTimeout(refine, 160);
      if (!asked) { asked = true; requestAnimationFrame(draw); }
    }
    // When nothing moves: the same on finer grids, a few milliseconds at a time.
    function refine() {
      describe();
      const mine = work = computed(FINE);
      const go = () => {
        if (work !== mine) return;
        const begin = performance.now();
        while (performance.now() - begin < 8) {
          const step = mine.next();
          if (!step.done) continue;
          fields = step.value;
          paint();
          showNumbers(segmentNumbers());
          figure.dataset.refined = "true";
          return;
        }
        requestAnimationFrame(go);
      };
      go();
    }
    function resize() {
      const width = Math.floor(box.plane.clientWidth);
      if (width < 50) return;
      size = { width, height: Math.round(width * (width < 500 ? 0.8 : 0.56)) };
      pixels = width / (2 * HALF_WIDTH);
      const ratio = Math.min(window.devicePixelRatio || 1, 2);
      Object.assign(canvas, { width: size.width * ratio, height: size.height * ratio });
      Object.assign(canvas.style, { width: size.width + "px", height: size.height + "px" });
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      set(plane, { viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height });
      changed();
    }
    function theme() {
      for (const name of ["ink", "circle", "hull", "minus", "plus"]) colors[name] = color(figure, "--" + name);
      if (state) changed();
    }

    function take(next) {
      const before = state || { layers: SCENES[scene].layers, exact: false };
      state = { ...before, ...copy(next) };
      spokes = state.radii.map((_, s) => spokes[s] ?? 0.8);
      ellipses = shapes();
      rebuild();
      changed();
    }
    function show(name) {
      scene = name;
      selected = zoom = 0;
      if (trace.zoom) trace.zoom.value = 0;
      take({ ...SCENES[name].state, layers: figure.dataset.layers && name === figure.dataset.scene ? figure.dataset.layers.split(" ") : SCENES[name].layers, exact: false });
    }

    makeTools();
    makeNumbers();
    makeTrace();
    if (box.python) {
      const details = build(box.python, "details");
      build(details, "summary", {}, "The same in Python");
      build(details, "pre", { tabindex: 0 });
    }
    theme();
    onTheme(theme);
    show(scene);
    resize();
    new ResizeObserver(resize).observe(box.plane);
    plane.addEventListener("dblclick", (event) => { if (event.target === plane) addPoint(event.shiftKey ? "X_minus" : "X_plus", toPlane(event)); });
    draw();
    describe();
    figure.dataset.ready = "true";
    return {
      figure,
      state: () => copy(state),
      setState: (next) => { take(next); draw(); },
      numbers,
      show: (name) => { show(name); draw(); },
      frame: () => { const begin = performance.now(); draw(); return performance.now() - begin; },
    };
  }

  for (const figure of document.querySelectorAll("figure.playground:not([data-ready])")) playgrounds.push(playground(figure));
  window.lmlirPlayground = { ...playgrounds[0], all: playgrounds };
})();
