// What the playground draws and writes about one segment: its pieces, the bars on the lambda axis, gamma against the radius, and
// the same as a program. `found` are the numbers of the segment, as the playground has them.
"use strict";

window.lmlirPanels ??= (function () {
  const G = window.lmlirGeometry, { make, niceStep, set } = window.lmlirDrawing;
  const four = (value) => (Math.abs(value) < 5e-5 ? 0 : value).toFixed(4);

  // The stretches that no ball covers. The paper subtracts a shared stretch from the background once for each ball: every
  // ball after the first bites its part out of these stretches again, evenly and next to a ball. What is kept adds up to gamma_b.
  function backgroundStretches(state) {
    const parts = G.pieces(state.x_i, state.x_j, state), free = parts.filter((part) => !part.by.length);
    const sum = (values) => values.reduce((a, b) => a + b, 0);
    const again = state.radii.map((_, s) => sum(parts.map(({ from, to, by }) => (by.indexOf(s) > 0 ? to - from : 0))));
    const whole = Math.max(sum(free.map(({ from, to }) => to - from)), sum(again));
    return free.map(({ from, to }) => {
      const bites = [], backwards = from === 0;
      let edge = backwards ? to : from;
      if (!state.exact) again.forEach((length, s) => {
        const next = edge + (backwards ? -1 : 1) * (to - from) * length / whole;
        if (length > 0) bites.push({ s, from: Math.min(edge, next), to: Math.max(edge, next) });
        edge = next;
      });
      return { bites, kept: backwards ? [from, edge] : [edge, to] };
    });
  }

  // The segment, and beside it each region's piece with its length; pieces that overlap lie side by side. On the other side
  // what the background measures. The numbers add up to D; only one that would cover another is left out.
  function drawSegment(layer, toScreen, state, found) {
    layer.segment.replaceChildren();
    layer.labels.replaceChildren();
    const a = toScreen(state.x_i), b = toScreen(state.x_j), length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const normal = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
    const at = (t, off) => [a[0] + t * (b[0] - a[0]) + off * normal[0], a[1] + t * (b[1] - a[1]) + off * normal[1]];
    const stroke = (from, to, off, kind) => {
      const [x1, y1] = at(from, off), [x2, y2] = at(to, off);
      make(layer.segment, "line", { class: kind, x1, y1, x2, y2 });
    };
    const placed = [], margin = Math.min(20 / length, 0.5); // the names of the ends are beyond it
    const note = (from, to, off, kind, value) => {
      const [x, y] = at(Math.min(Math.max((from + to) / 2, margin), 1 - margin), off);
      if (value < 0.005 || placed.some(([u, v]) => Math.abs(u - x) < 30 && Math.abs(v - y) < 14)) return;
      placed.push([x, y]);
      make(layer.labels, "text", { class: kind, x, y, "text-anchor": "middle", dy: "0.35em" }, value.toFixed(2));
    };
    stroke(0, 1, 0, "segment");
    if (!state.layers.includes("pieces")) return;
    const lanes = lanesOf(found), side = normal[1] < 0 ? -1 : 1, apart = 16 + 16 * Math.abs(normal[0]); // numbers are wide
    found.gamma.forEach((gamma, s) => {
      if (!(gamma > 0)) return;
      const [p, q] = found.lambda[s];
      stroke(p, q, side * (lanes[s] * 7), `piece region-${s}`);
      note(p, q, side * (lanes[s] * apart + 17), `region-${s}`, gamma * found.local[s]);
    });
    for (const { bites, kept } of backgroundStretches(state)) {
      for (const { s, from, to } of bites) stroke(from, to, 0, `bite region-${s}`);
      note(...kept, side * -15, "background", (kept[1] - kept[0]) * found.background);
    }
  }
  function lanesOf({ lambda, gamma }) {
    return lambda.map(([p, q], s) => lambda.filter(([u, v], t) => t < s && gamma[t] > 0 && u < q && p < v).length);
  }

  // The lambda axis: one bar for each region that meets the segment, and one for the background.
  function drawLanes(svg, width, state, found) {
    const S = state.radii.length, height = 16 * (S + 1) + 22;
    svg.replaceChildren();
    set(svg, {
      viewBox: `0 0 ${width} ${height}`, width, height,
      "aria-label": "The segment from 0 to 1, with the stretch that each ball covers and what is left for the background; hatched is what the background loses again",
    });
    const at = (t) => 10 + t * (width - 20);
    const bar = (p, q, lane, kind) => make(svg, "line", { class: `lane ${kind}`, x1: at(p), x2: at(q), y1: 10 + 16 * lane, y2: 10 + 16 * lane });
    found.gamma.forEach((gamma, s) => {
      bar(0, 1, s, "empty");
      if (gamma > 0) bar(...found.lambda[s], s, `region-${s}`);
    });
    bar(0, 1, S, "empty");
    for (const { bites, kept } of backgroundStretches(state)) {
      for (const { s, from, to } of bites) bar(from, to, S, `bite region-${s}`);
      if (kept[1] > kept[0]) bar(...kept, S, "background");
    }
    for (const t of [0, 1]) make(svg, "text", { x: at(t), y: height - 4, "text-anchor": t ? "end" : "start" }, String(t));
    make(svg, "text", { x: at(0.5), y: height - 4, "text-anchor": "middle" }, "λ");
  }

  // gamma of region s against its radius; at a zoom only the neighborhood of the radius at which the ball reaches the segment.
  // Returns what is to be seen, in words.
  function drawTrace(svg, width, state, s, zoom) {
    const height = 190, left = 46, right = width - 10, top = 8, ground = 156;
    svg.replaceChildren();
    set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    if (!state.radii.length) return "There is no region.";
    const o = state.centers[s], r = state.radii[s], { x_i, x_j } = state, { height: h, on, reach } = G.passage(x_i, x_j, o);
    const gamma = (radius) => G.ratio(x_i, x_j, o, radius), span = Math.hypot(...G.difference(x_j, x_i));
    const low = zoom ? Math.max(reach - 10 ** -zoom / 4, 0) : 0, high = zoom ? reach + 10 ** -zoom : 5;
    const most = zoom ? Math.max(gamma(high) * 1.15, 1e-12) : 1.05;
    const atX = (x) => left + (x - low) / (high - low) * (right - left), atY = (y) => top + (1 - y / most) * (ground - top);
    const curve = (value, last) => {
      let path = "";
      for (let k = 0; k <= 300; k++) { // denser where the root begins
        const x = k < 60 ? low + (reach - low) * k / 60 : reach + (high - reach) * ((k - 60) / 240) ** 2;
        if (x <= last) path += (path ? "L" : "M") + atX(x).toFixed(2) + " " + atY(Math.min(value(x), most)).toFixed(2);
      }
      return path;
    };
    make(svg, "line", { class: "axis", x1: left, x2: right, y1: ground, y2: ground });
    make(svg, "line", { class: "axis", x1: left, x2: left, y1: top, y2: ground });
    const rooted = on && h > 1e-9 && span > 0;
    if (rooted && h < high) { // the law of the root, up to twice the radius of the tangency
      make(svg, "line", { class: "touch", x1: atX(h), x2: atX(h), y1: top, y2: ground });
      make(svg, "path", { class: "root", d: curve((x) => (x > h ? 2 * Math.sqrt(2 * h * (x - h)) / span : 0), Math.min(2 * h, high)) });
    }
    make(svg, "path", { class: `gamma region-${s}`, d: curve(gamma, high) });
    if (r >= low && r <= high) make(svg, "circle", { class: `now region-${s}`, cx: atX(r), cy: atY(gamma(r)), r: 5 });
    for (const x of zoom ? [reach, high] : [0, 1, 2, 3, 4, 5]) {
      make(svg, "text", { x: atX(x), y: ground + 16, "text-anchor": x === high && zoom ? "end" : "middle" }, zoom ? x.toFixed(zoom + 1) : String(x));
    }
    for (let y = 0, tick = zoom ? niceStep(most, 2) : 0.5; y < most; y += tick) {
      make(svg, "text", { x: left - 5, y: atY(y), dy: "0.35em", "text-anchor": "end" }, String(Number(y.toPrecision(3))));
    }
    make(svg, "text", { x: left + 6, y: 18 }, "γ");
    make(svg, "text", { x: right - 2, y: ground - 8, "text-anchor": "end" }, "r");
    const why = span === 0 ? "The segment is a point."
      : !on ? "The line comes nearest to the center beyond an end of the segment, so γ begins with a finite slope."
      : !rooted ? "The center lies on the line: γ begins as a straight line."
      : `The line passes at ${four(h)} from the center: there γ begins like a square root (dashed), with infinite slope.`;
    return `Region ${s + 1}: γ = ${four(gamma(r))} at r = ${r.toFixed(2)}. ${why}`;
  }

  // What is on the screen, as a program on the package that prints the same distance and the same f.
  function program(state, K) {
    const list = (value) => JSON.stringify(value).replaceAll(",", ", ");
    const assigned = (...names) => names.map((name) => `${name} = ${list(state[name])}`);
    const lines = ["from lmlir.classifier import decision_value", "from lmlir.distance import distance", ""];
    lines.push(...assigned("x_i", "x_j", "centers", "radii", "local_metrics", "background_metric"));
    lines.push("Theta = (centers, radii, local_metrics, background_metric)");
    lines.push(`print(distance(x_i, x_j, *Theta, exact=${state.exact ? "True" : "False"}))`);
    if (state.layers.includes("map") && K && !state.exact) {
      lines.push(...assigned("X_minus", "X_plus"), `print(decision_value(x_i, X_minus, X_plus, ${K}, *Theta))`);
    }
    return lines.join("\n");
  }

  return { drawLanes, drawSegment, drawTrace, four, program };
})();
