// The playground: balls, metrics and points that can be moved; pieces of a segment, circles, decision map and the trace of gamma.
// <figure class="explorable playground" data-scene="overlap" data-parts="plane numbers"> makes one; without data-parts it has all.
"use strict";

(function () {
  const G = window.lmlirGeometry, SCENES = window.lmlirScenes, MAPS = window.lmlirMaps;
  const { build, color, ellipsePath, make, movable, onTheme, set, write } = window.lmlirDrawing;
  const { drawLanes, drawSegment, drawTrace, four, program } = window.lmlirPanels;
  const HALF_WIDTH = 6, LIMITS = [5.7, 3.1], MOST_REGIONS = 4, MOST_POINTS = 40, LONGEST_AXIS = 4;
  const PARTS = ["scenes", "plane", "tools", "numbers", "trace", "python"];
  const LAYERS = { pieces: "pieces", circles: "circles of D", hull: "circles of ρ", map: "decision map" };
  const COARSE = { D: 96, f: 48, rho: 24 }, FINE = { D: 192, f: 150, rho: 60 };
  const playgrounds = window.lmlirPlayground ? window.lmlirPlayground.all : [];

  const limited = (value, limit) => Math.round(Math.min(Math.max(value, -limit), limit) * 100) / 100;
  const inPlane = (point) => [limited(point[0], LIMITS[0]), limited(point[1], LIMITS[1])];
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const where = (point) => `(${point[0].toFixed(2)}, ${point[1].toFixed(2)})`;

  function playground(figure) {
    const parts = (figure.dataset.parts || PARTS.join(" ")).split(" ");
    let state, ellipses, size = { width: 600, height: 336 }, pixels = 50, handles = [], maps = {}, work = null, asked = false;
    let spokes = [], colors = {}, endNames = {}, scene = figure.dataset.scene || "pieces", selected = 0, chosenPoint = null, zoom = 0, timer = 0, quality = 1;

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
      endNames[name] = text;
    }

    const longestAxis = (s) => (s < 0 ? 1.1 : LONGEST_AXIS);
    const backgroundCorner = () => [-HALF_WIDTH + 1.25, -view().halfHeight + 1.25];
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
    const view = () => ({ ...size, halfWidth: HALF_WIDTH, halfHeight: size.height / 2 / pixels });
    const computed = (detail) => MAPS.compute(state, view(), neighbors(), detail);
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
      const points = MAPS.nodes(view(), MAPS.gridOf(view(), COARSE.rho));
      return { ...segmentNumbers(), K: neighbors(), rho: G.hull([state.x_i, state.x_j, ...points], state, state.exact).rho[1], hull_points: points };
    }

    // ------------------------------------------------------------------------------------------------------- painting
    function paint() {
      const step = MAPS.paint(context, view(), maps, colors, state.layers.includes("circles"));
      figure.dataset.step = String(step);
      drawChain();
    }
    function drawChain() {
      const points = maps.rho ? maps.rho.chain.map(toScreen) : [];
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
      set(curves[S + 1], { x: (1.25 + longestAxis(-1)) * pixels + 6, y: size.height - pixels / 2 }); // beside the ellipse, not on it
    }
    function placeHandles() {
      for (const one of handles) {
        const [x, y] = toScreen(one.get());
        one.group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      }
      for (const [name, other] of [["x_i", "x_j"], ["x_j", "x_i"]]) { // away from the segment and its numbers, where there is room
        const [x] = toScreen(state[name]), left = x < toScreen(state[other])[0] ? x > 26 : x > size.width - 26;
        set(endNames[name], { x: left ? -10 : 10, "text-anchor": left ? "end" : "start" });
      }
    }
    function describe() {
      for (const one of handles) one.group.setAttribute("aria-label", one.label());
      if (box.python) write(box.python.querySelector("pre"), program(state, neighbors()));
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
      if (maps.rho) words.push(`Chains through a grid of ${maps.rho.count - 2} points: ρ ≤ ${four(maps.rho.length)}.`);
      if (found.f !== null && state.layers.includes("map")) words.push(`f(xᵢ) = ${four(found.f)} with K = ${neighbors()}.`);
      if (maps.D) words.push(`The circles are around xᵢ, ${figure.dataset.step} apart${maps.rho ? "; those of ρ are the broad bands" : ""}.`);
      write(shownNumbers.other, words.join(" "));
      drawLanes(shownNumbers.lanes, Math.max(box.numbers.clientWidth, 160), state, found);
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
      trace.radius.disabled = trace.zoom.disabled = !state.radii.length;
      const words = drawTrace(trace.svg, Math.max(box.trace.clientWidth, 160), state, selected, zoom);
      write(trace.text, words);
      trace.svg.setAttribute("aria-label", `The share of the segment against the radius. ${words}`);
      if (!state.radii.length) return;
      trace.radius.value = state.radii[selected];
      trace.radius.setAttribute("aria-label", `radius of region ${selected + 1}`);
      trace.zoom.setAttribute("aria-valuetext", `${10 ** zoom} times`);
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
      const begin = performance.now();
      maps = G.finish(computed({ D: Math.round(COARSE.D * quality), f: Math.round(COARSE.f * quality), rho: Math.round(COARSE.rho * quality) }));
      const found = segmentNumbers();
      layer.points.style.display = state.layers.includes("map") ? "" : "none";
      drawRegions();
      drawSegment(layer, toScreen, state, found);
      paint();
      placeHandles();
      showNumbers(found);
      showTrace();
      showTools();
      const taken = performance.now() - begin; // a slow machine gets coarser grids while something moves
      quality = Math.min(Math.max(quality * (taken > 12 ? 0.85 : taken < 6 ? 1.1 : 1), 0.4), 1);
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
          maps = step.value;
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
