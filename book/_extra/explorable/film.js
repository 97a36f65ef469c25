// Learning as a film: recorded descents, one frame after the other. The recordings are in the page, as JSON.
"use strict";

(function () {
  const G = window.lmlirGeometry, { build, ellipsePath, make, niceStep, set, write } = window.lmlirDrawing;
  const figure = document.querySelector("figure.film");
  if (!figure || figure.dataset.ready) return;
  const { settings, data, films } = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  const SWITCHES = [
    { name: "data", words: "Data", choices: [["stripes", "stripes"], ["clouds", "clouds"]] },
    { name: "rule", words: "Steps", choices: [["1.0", "rate 1.0"], ["0.1", "rate 0.1"], ["default", "default rule"]] },
    { name: "S", words: "Regions", choices: [["1", "1"], ["2", "2"], ["4", "4"]] },
    { name: "gradient", words: "Gradient", choices: [["true", "true"], ["E2", "E2"], ["E3", "E3"], ["E4", "E4"], ["printed", "all three"]] },
  ];
  const HALF = { width: 4.4, height: 2.5 }, SECONDS = 0.35, ELLIPSE = 0.5;
  const state = { data: "stripes", rule: "1.0", S: "4", gradient: "true", frame: 0 };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let playing = 0, film = null;

  // ------------------------------------------------------------------------------------------------------------- the page
  const caption = figure.querySelector("figcaption");
  const place = (tag, kind) => { const element = build(figure, tag, { class: kind }); if (caption) figure.insertBefore(element, caption); return element; };
  const switches = place("div", "film-switches"), stage = place("div", "film-stage"), bar = place("div", "film-bar");
  const sentence = place("p", "film-sentence"), panels = place("div", "film-panels");
  for (const { name, words, choices } of SWITCHES) {
    const set_ = build(switches, "fieldset");
    build(set_, "legend", {}, words);
    for (const [value, text] of choices) {
      const label = build(set_, "label"), input = build(label, "input", { type: "radio", name: "film-" + name, value });
      input.checked = state[name] === value;
      label.append(text);
      input.addEventListener("change", () => { state[name] = value; choose(); });
    }
  }
  const plane = make(stage, "svg", { role: "img", viewBox: `0 0 880 500` });
  const pixels = 880 / (2 * HALF.width), toScreen = (p) => [440 + p[0] * pixels, 250 - p[1] * pixels];
  const hatch = make(make(plane, "defs"), "pattern", { id: "film-hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  make(hatch, "line", { class: "hatch", x1: 0, y1: 0, x2: 0, y2: 9 });
  const layer = {};
  for (const name of ["ground", "balls", "points", "names"]) layer[name] = make(plane, "g", { class: name });
  const button = build(bar, "button", { type: "button" });
  const slider = build(bar, "input", { type: "range", min: 0, step: 1, "aria-label": "frame of the film" });
  const counter = build(bar, "output");
  button.addEventListener("click", () => {
    if (still.matches) show((state.frame + 1) % film.steps.length);
    else if (playing) pause();
    else play();
  });
  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  const charts = { g: chart("objective g"), accuracy: chart("right on fresh points"), shares: chart("who measures the pairs’ length") };
  function chart(words) {
    const box = build(panels, "div");
    build(box, "p", {}, words);
    return make(box, "svg", { role: "img", viewBox: "0 0 300 150" });
  }

  // -------------------------------------------------------------------------------------------------------------- playing
  function label() { write(button, still.matches ? "Next" : playing ? "Pause" : "Play"); }
  function pause() { clearInterval(playing); playing = 0; label(); }
  function play() {
    if (state.frame === film.steps.length - 1) show(0);
    playing = setInterval(() => (state.frame < film.steps.length - 1 ? show(state.frame + 1) : pause()), 1000 * SECONDS);
    label();
  }
  still.addEventListener("change", pause);

  // -------------------------------------------------------------------------------------------------------------- a frame
  function theta(k) {
    const numbers = film.Theta[k], S = Number(state.S), metric = (at) => [[numbers[at], numbers[at + 1]], [numbers[at + 1], numbers[at + 2]]];
    const regions = Array.from({ length: S }, (_, s) => ({ center: numbers.slice(6 * s, 6 * s + 2), radius: numbers[6 * s + 2], metric: metric(6 * s + 3) }));
    return { regions, background: metric(6 * S) };
  }
  const named = (m) => (m === Number(state.S) ? "the background" : `region ${m + 1}`);
  const listed = (words) => (words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1));
  const percent = (share) => (100 * share).toFixed(1) + " %";

  function drawPlane(k) {
    const { regions, background } = theta(k), dead = film.dead[k], S = regions.length;
    for (const name of ["ground", "balls", "names"]) layer[name].replaceChildren();
    if (dead.includes(S)) make(layer.ground, "rect", { class: "hole", width: 880, height: 500 });
    regions.forEach(({ center, radius, metric }, s) => {
      const [cx, cy] = toScreen(center), r = radius * pixels;
      if (dead.includes(S)) make(layer.ground, "circle", { class: "cleared", cx, cy, r });
      make(layer.balls, "circle", { class: `ball region-${s}`, cx, cy, r });
      if (dead.includes(s)) make(layer.balls, "circle", { class: "hole", cx, cy, r });
      else make(layer.balls, "path", { class: `ellipse region-${s}`, d: ellipsePath(center, G.ellipseOf(metric), ELLIPSE, toScreen, 4) });
      const angle = 0.6 + s * 1.2, at = toScreen([center[0] + radius * Math.cos(angle), center[1] + radius * Math.sin(angle)]);
      make(layer.names, "text", { class: `region-${s}`, x: Math.min(Math.max(at[0] + 8, 8), 850), y: Math.min(Math.max(at[1], 20), 490) }, `${s + 1}${dead.includes(s) ? " (hole)" : ""}`);
    });
    if (!dead.includes(S)) make(layer.balls, "path", { class: "ellipse background", d: ellipsePath([-HALF.width + 0.7, -HALF.height + 0.7], G.ellipseOf(background), ELLIPSE, toScreen, 0.65) });
    make(layer.names, "text", { class: "background", x: 10, y: 490 }, dead.includes(S) ? "background (hole)" : "background");
  }
  function drawPoints() {
    layer.points.replaceChildren();
    const { X, y } = data[state.data];
    X.forEach((point, k) => {
      const [x, z] = toScreen(point);
      if (y[k]) make(layer.points, "path", { class: "positive", d: `M${x} ${z - 5}L${x + 4.6} ${z + 3.6}H${x - 4.6}Z` });
      else make(layer.points, "circle", { class: "negative", cx: x, cy: z, r: 4 });
    });
  }

  const LEFT = 40, RIGHT = 8, TOP = 8, BOTTOM = 24;
  const last = () => film.steps.at(-1);
  const atX = (step) => LEFT + step / last() * (300 - LEFT - RIGHT);
  function axes(svg, low, high, text) {
    svg.replaceChildren();
    const atY = (value) => TOP + (high - value) / (high - low) * (150 - TOP - BOTTOM);
    make(svg, "line", { class: "axis", x1: LEFT, x2: 300 - RIGHT, y1: 150 - BOTTOM, y2: 150 - BOTTOM });
    make(svg, "line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: 150 - BOTTOM });
    const step = niceStep(high - low, 3);
    for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9; value += step) make(svg, "text", { x: LEFT - 5, y: atY(value), dy: "0.35em", "text-anchor": "end" }, text(value));
    for (const at of [0, last()]) make(svg, "text", { x: atX(at), y: 146, "text-anchor": at ? "end" : "middle" }, at ? `step ${at}` : "0");
    return atY;
  }
  const path = (points) => points.map(([x, y], k) => (k ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("");
  const now = {};
  function drawCharts() {
    const lowest = Math.min(...film.objective), highest = Math.max(...film.objective);
    const atG = axes(charts.g, Math.min(lowest, 0.8), Math.max(highest, 1.6), (v) => v.toFixed(1));
    for (const death of film.deaths) {
      if (death.predicted > last()) continue;
      if (death.predicted !== undefined) make(charts.g, "line", { class: `predicted ${kind(death.metric)}`, x1: atX(death.predicted), x2: atX(death.predicted), y1: TOP, y2: 150 - BOTTOM });
      if (death.died !== null) make(charts.g, "text", { class: `death ${kind(death.metric)}`, x: atX(death.died), y: atG(film.objective[death.died]) - 6, "text-anchor": "middle" }, "✕");
    }
    make(charts.g, "path", { class: "trace", d: path(film.objective.map((g, step) => [atX(step), atG(g)])) });
    const atA = axes(charts.accuracy, 0.4, 1, (v) => Math.round(100 * v) + " %");
    make(charts.accuracy, "path", { class: "trace", d: path(film.accuracy.map((a, k) => [atX(film.steps[k]), atA(a)])) });
    const atS = axes(charts.shares, 0, 1, (v) => Math.round(100 * v) + " %");
    const S = Number(state.S);
    let below = film.steps.map(() => 0);
    for (let m = 0; m <= S; m++) {
      const above = below.map((value, k) => value + film.shares[k][m]);
      const upper = above.map((value, k) => [atX(film.steps[k]), atS(value)]), lower = below.map((value, k) => [atX(film.steps[k]), atS(value)]).reverse();
      make(charts.shares, "path", { class: `share ${kind(m)}`, d: path([...upper, ...lower]) + "Z" });
      below = above;
    }
    for (const [name, svg] of Object.entries(charts)) now[name] = make(svg, "line", { class: "now", y1: TOP, y2: 150 - BOTTOM });
    now.atG = atG;
    now.dot = make(charts.g, "circle", { class: "dot", r: 4 });
  }
  const kind = (m) => (m === Number(state.S) ? "background" : `region-${m}`);

  function tell(k) {
    const step = film.steps[k], dead = film.dead[k], S = Number(state.S);
    const parts = [`Step ${step}: g = ${film.objective[step].toFixed(3)}, ${percent(film.accuracy[k])} of ${settings.n_fresh} fresh points are right.`];
    if (S) parts.push(`The regions cover ${percent(film.covered[k])} of a pair’s segment on average, and count ${film.counted[k].toFixed(2)} times its length.`);
    const holes = dead.filter((m) => m === S || film.Theta[k][6 * m + 2] > 0);
    if (dead.length === S + 1) parts.push("Every metric is 0: all distances are 0, and every point gets the same class.");
    else if (holes.length) parts.push(`${listed(holes.map(named))} ${holes.length > 1 ? "have the metric 0: holes" : "has the metric 0: a hole"}, where lengths are 0.`.replace(/^./, (c) => c.toUpperCase()));
    for (const death of film.deaths) {
      if (death.unmet === undefined || death.unmet > step) continue;
      const end = death.died === null ? "beyond the end of the film" : death.died <= step ? `and it died in step ${death.died}` : "and it is on its way";
      parts.push(`From step ${death.unmet} on no active pair meets ${named(death.metric)}: Theorem E predicts its death for step ${death.predicted}, ${end}.`);
    }
    return parts.join(" ");
  }
  function show(k) {
    state.frame = k;
    const step = film.steps[k];
    drawPlane(k);
    for (const name of Object.keys(charts)) set(now[name], { x1: atX(step), x2: atX(step) });
    set(now.dot, { cx: atX(step), cy: now.atG(film.objective[step]) });
    slider.value = k;
    slider.setAttribute("aria-valuetext", `step ${step} of ${last()}`);
    write(counter, `step ${step} of ${last()}`);
    const words = tell(k);
    write(sentence, words);
    plane.setAttribute("aria-label", `Training points, balls and metric ellipses. ${words}`);
    charts.g.setAttribute("aria-label", `The objective against the step: from ${film.objective[0]} to ${film.objective.at(-1)}, now ${film.objective[step]}`);
    charts.accuracy.setAttribute("aria-label", `The share of fresh points that are right against the step, now ${percent(film.accuracy[k])}`);
    charts.shares.setAttribute("aria-label", `The share of the pairs’ length that each metric measures, now ${film.shares[k].map((share, m) => `${named(m)} ${percent(share)}`).join(", ")}`);
    figure.dataset.frame = String(k);
  }
  function choose() {
    pause();
    film = films[`${state.data} ${state.rule} ${state.S} ${state.gradient}`];
    slider.max = film.steps.length - 1;
    for (const input of switches.querySelectorAll("input")) input.checked = state[input.name.slice(5)] === input.value;
    drawPoints();
    drawCharts();
    show(Math.min(state.frame, film.steps.length - 1));
  }

  state.frame = 1000; // the end first: there is something to see
  choose();
  label();
  figure.dataset.ready = "true";
  window.lmlirFilm = { state: () => ({ ...state }), film: () => film, choose: (next) => { Object.assign(state, next); choose(); }, sentence: () => sentence.textContent };
})();
