// The mathematics of the figures that can be moved: Definition 8, Table 2, equations (9) and (10) and Theorem B, in the plane.
// The formulas are those of lmlir.intersection, distance, classifier and hull, in the same stable form; browser tests compare.
// Theta = { centers, radii, local_metrics, background_metric }, as in the package. A map asks for a hundred thousand distances
// in each frame, so the inner functions make no objects.
"use strict";

window.lmlirGeometry ??= (function () {
  const line = new Float64Array(2); // lambda_u and lambda_v of the last line that crossed a ball

  function clip(t) { return t < 0 ? 0 : t > 1 ? 1 : t; }
  function difference(a, b) { return [a[0] - b[0], a[1] - b[1]]; }
  function along(x_i, x_j, t) { return [x_i[0] + t * (x_j[0] - x_i[0]), x_i[1] + t * (x_j[1] - x_i[1])]; }

  // Table 1, r^2 - h^2: the sign of Delta. Where it is positive, `line` holds lambda_u and lambda_v afterwards.
  function squaredHalfChord(x_i, x_j, o, r) {
    const d0 = x_j[0] - x_i[0], d1 = x_j[1] - x_i[1], a = d0 * d0 + d1 * d1;
    if (a === 0) return 0;
    const from0 = x_i[0] - o[0], from1 = x_i[1] - o[1];
    const middle = -(d0 * from0 + d1 * from1) / a;
    const offset0 = from0 + middle * d0, offset1 = from1 + middle * d1;
    const square = r * r - (offset0 * offset0 + offset1 * offset1);
    if (square > 0) {
      const half = Math.sqrt(square / a);
      line[0] = middle - half;
      line[1] = middle + half;
    }
    return square;
  }

  // Definition 8.
  function ratio(x_i, x_j, o, r) { return squaredHalfChord(x_i, x_j, o, r) > 0 ? clip(line[1]) - clip(line[0]) : 0; }

  // Definition 8 and Table 2, with everything that a figure shows.
  function intersect(x_i, x_j, o, r) {
    const [d0, d1] = difference(x_j, x_i), square = squaredHalfChord(x_i, x_j, o, r), delta = 4 * (d0 * d0 + d1 * d1) * square;
    if (square <= 0) {
      return { delta, row: square < 0 ? 1 : 2, lambda_u: null, lambda_v: null, lambda_p: 0, lambda_q: 0, gamma: 0 };
    }
    const [lambda_u, lambda_v] = line, lambda_p = clip(lambda_u), lambda_q = clip(lambda_v);
    let row;
    if (lambda_v < 0) row = 3;
    else if (lambda_u > 1) row = 8;
    else if (lambda_u < 0) row = lambda_v <= 1 ? 4 : 5;
    else row = lambda_v <= 1 ? 6 : 7;
    return { delta, row, lambda_u, lambda_v, lambda_p, lambda_q, gamma: lambda_q - lambda_p };
  }

  // How far from the center the line passes, whether it does so on the segment, and how far away the segment itself is.
  function passage(x_i, x_j, o) {
    const d = difference(x_j, x_i), a = d[0] * d[0] + d[1] * d[1], from = difference(x_i, o);
    const middle = a === 0 ? 0 : -(d[0] * from[0] + d[1] * from[1]) / a;
    const away = (t) => Math.hypot(from[0] + t * d[0], from[1] + t * d[1]);
    return { height: away(middle), on: a > 0 && middle === clip(middle), reach: away(clip(middle)) };
  }

  // Definition 3.
  function metricLength(x_i, x_j, M) {
    const d0 = x_j[0] - x_i[0], d1 = x_j[1] - x_i[1];
    const square = d0 * (M[0][0] * d0 + M[0][1] * d1) + d1 * (M[1][0] * d0 + M[1][1] * d1);
    return square > 0 ? Math.sqrt(square) : 0;
  }

  // Section 3.2, gamma_b, exact: 1 minus the measure of the union: from gap to gap, without a list of intervals.
  function exactBackgroundRatio(x_i, x_j, Theta) {
    let uncovered = 0, reached = 0;
    for (;;) {
      let grown = true, next = 1; // how far the balls take us from here without a gap, and where the next ball begins
      while (grown) {
        grown = false;
        next = 1;
        for (let s = 0; s < Theta.radii.length; s++) {
          if (!(squaredHalfChord(x_i, x_j, Theta.centers[s], Theta.radii[s]) > 0)) continue;
          const p = clip(line[0]), q = clip(line[1]);
          if (q <= reached || p === q) continue;
          if (p <= reached) { reached = q; grown = true; } else if (p < next) next = p;
        }
      }
      if (reached >= 1) return uncovered;
      uncovered += next - reached;
      reached = next;
      if (reached >= 1) return uncovered;
    }
  }

  // Equation (9), with the paper's gamma_b = max(1 - sum gamma, 0) or the exact one.
  function distance(x_i, x_j, Theta, exact) {
    const S = Theta.radii.length;
    let total = 0, counted = 0;
    for (let s = 0; s < S; s++) {
      const gamma = ratio(x_i, x_j, Theta.centers[s], Theta.radii[s]);
      if (gamma > 0) { counted += gamma; total += gamma * metricLength(x_i, x_j, Theta.local_metrics[s]); }
    }
    const gamma_b = exact ? exactBackgroundRatio(x_i, x_j, Theta) : Math.max(1 - counted, 0);
    return gamma_b > 0 ? gamma_b * metricLength(x_i, x_j, Theta.background_metric) + total : total;
  }

  // Definition 5: the segment cut at every sphere; `by` names the regions that measure a piece, none for the background.
  function pieces(x_i, x_j, Theta) {
    const found = Theta.radii.map((r, s) => intersect(x_i, x_j, Theta.centers[s], r));
    const cuts = [0, 1, ...found.flatMap((f) => (f.gamma > 0 ? [f.lambda_p, f.lambda_q] : []))].sort((a, b) => a - b);
    const parts = [];
    for (let k = 1; k < cuts.length; k++) {
      if (cuts[k] === cuts[k - 1]) continue;
      const middle = (cuts[k] + cuts[k - 1]) / 2;
      const by = found.flatMap((f, s) => (f.gamma > 0 && f.lambda_p <= middle && middle <= f.lambda_q ? [s] : []));
      parts.push({ from: cuts[k - 1], to: cuts[k], by });
    }
    return parts;
  }

  const smallest = new Float64Array(64); // the K least distances, ascending

  // Section 4.1, sumKmin: equal distances count as often as they occur.
  function meanOfNearest(x, points, K, Theta, exact) {
    let held = 0;
    for (const point of points) {
      const D = distance(x, point, Theta, exact);
      if (held === K && D >= smallest[K - 1]) continue;
      let k = held < K ? held++ : K - 1;
      for (; k > 0 && smallest[k - 1] > D; k--) smallest[k] = smallest[k - 1];
      smallest[k] = D;
    }
    let total = 0;
    for (let k = 0; k < K; k++) total += smallest[k];
    return total / K;
  }

  // Equation (10).
  function decisionValue(x, X_minus, X_plus, K, Theta, exact) {
    return meanOfNearest(x, X_minus, K, Theta, exact) - meanOfNearest(x, X_plus, K, Theta, exact);
  }

  // Theorem B: rho_P from points[0] to all points, by Dijkstra on the complete graph; pauses after each point that is settled.
  function* shortestChains(points, Theta, exact) {
    const n = points.length, rho = new Float64Array(n).fill(Infinity), before = new Int32Array(n).fill(-1);
    const open = new Uint8Array(n).fill(1);
    rho[0] = 0;
    for (let round = 0; round < n; round++) {
      let at = -1;
      for (let k = 0; k < n; k++) if (open[k] && (at < 0 || rho[k] < rho[at])) at = k;
      open[at] = 0;
      for (let k = 0; k < n; k++) {
        if (!open[k]) continue;
        const through = rho[at] + distance(points[at], points[k], Theta, exact);
        if (through < rho[k]) { rho[k] = through; before[k] = at; }
      }
      yield;
    }
    return { rho, before };
  }

  function finish(generator) {
    for (;;) { const step = generator.next(); if (step.done) return step.value; }
  }
  function hull(points, Theta, exact) { return finish(shortestChains(points, Theta, exact)); }

  // A metric as the ellipse of the points at length 1: the angle of its first axis and its two half-axes; and back.
  function ellipseOf(M) {
    const half = (M[0][0] - M[1][1]) / 2, mean = (M[0][0] + M[1][1]) / 2, spread = Math.hypot(half, M[0][1]);
    const angle = spread > 0 ? Math.atan2(M[0][1], half) / 2 : 0; // of the larger eigenvalue, the shorter axis
    return { angle, axes: [mean + spread, mean - spread].map((value) => (value > 0 ? 1 / Math.sqrt(value) : Infinity)) };
  }
  function metricOf({ angle, axes }) {
    const c = Math.cos(angle), s = Math.sin(angle), [u, v] = axes.map((axis) => 1 / (axis * axis)), off = (u - v) * c * s;
    return [[u * c * c + v * s * s, off], [off, u * s * s + v * c * c]];
  }

  return {
    along, clip, decisionValue, difference, distance, ellipseOf, exactBackgroundRatio, finish, hull, intersect, metricLength,
    metricOf, passage, pieces, ratio, shortestChains,
  };
})();
