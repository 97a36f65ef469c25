// The scenes of the playground: where the balls and points are, what is shown, and what to try.
"use strict";

window.lmlirScenes ??= (function () {
  const metric = (angle, ...axes) => window.lmlirGeometry.metricOf({ angle: angle * Math.PI / 180, axes });
  const plain = [[1, 0], [0, 1]];

  // Stripes that lie flat on the left and stand upright on the right, as in the chapter on learning.
  function stripes() {
    const X_minus = [], X_plus = [];
    for (let across = 0; across < 4; across++) {
      for (let along = 0; along < 3; along++) {
        const u = (across - 1.5) * 1.1, v = (along - 1) * 1.5 + (across % 2 ? 0.3 : -0.3);
        (across % 2 ? X_plus : X_minus).push([Math.round((v - 3) * 100) / 100, u], [u + 3, Math.round(v * 100) / 100]);
      }
    }
    return { X_minus, X_plus };
  }
  const four = { X_minus: [[-4.6, 2.4], [-1, -2.6], [1.5, 2.6]], X_plus: [[4.6, 2.2], [1.2, -2.4], [-2.6, -2.2]] };

  return {
    pieces: {
      name: "pieces", layers: ["pieces"],
      text: "Drag an end of the segment through the balls. Each ball measures its piece by its own metric, the background the rest, and the distance is the sum.",
      state: {
        x_i: [-4.8, 0.2], x_j: [4.8, -1.8], centers: [[-2, 0.2], [2.1, 0.1]], radii: [1.6, 1.9],
        local_metrics: [metric(0, 1.2, 0.45), metric(60, 0.5, 1.4)], background_metric: plain, ...four, K: 1,
      },
    },
    tangency: {
      name: "tangency", layers: ["pieces"],
      text: "Grow the ball a little with the slider under the curve: the share starts with a vertical tangent. Zoom in, and the curve looks the same again.",
      state: {
        x_i: [-4, 1.5], x_j: [4, 1.5], centers: [[0, -0.5]], radii: [2.2], local_metrics: [metric(0, 0.5, 0.5)], background_metric: plain, ...four, K: 1,
      },
    },
    overlap: {
      name: "overlap", layers: ["pieces", "circles"],
      text: "Both balls measure the stretch that they share. The paper also takes it from the background twice, the second time where it is hatched; switch to once and compare the two sums.",
      state: {
        x_i: [-5, -0.9], x_j: [5, 0.9], centers: [[-0.9, 0], [0.9, 0]], radii: [2.1, 2.1],
        local_metrics: [metric(0, 0.9, 0.9), metric(0, 1.3, 1.3)], background_metric: plain, ...four, K: 1,
      },
    },
    detour: {
      name: "detour", layers: ["pieces", "circles", "hull"],
      text: "The ball is expensive. D goes straight through it; the metric hull ρ may stop on the way, and goes round. Move xⱼ behind the ball.",
      state: {
        x_i: [-4, -0.3], x_j: [4.4, 0.4], centers: [[0, 0]], radii: [1.8], local_metrics: [metric(0, 0.3, 0.3)], background_metric: plain, ...four, K: 1,
      },
    },
    shortcut: {
      name: "shortcut", layers: ["pieces", "circles", "hull"],
      text: "Three equal balls that cost little. Move xⱼ from the left of them to the right: the distance falls although the segment grows, because the background loses the overlap three times.",
      state: {
        x_i: [-5, 0], x_j: [3.4, 0], centers: [[2, 0], [2, 0], [2, 0]], radii: [1.2, 1.2, 1.2],
        local_metrics: [metric(0, 2.5, 2.5), metric(0, 2.5, 2.5), metric(0, 2.5, 2.5)], background_metric: plain, ...four, K: 1,
      },
    },
    classes: {
      name: "two rulers", layers: ["map"],
      text: "The stripes lie flat on the left and stand upright on the right. Turn an ellipse by a quarter and watch the decision map lose the stripes of its half.",
      state: {
        x_i: [-1.6, 2.4], x_j: [0.9, -2.4], centers: [[-3, 0], [3, 0]], radii: [2.9, 2.9],
        local_metrics: [metric(0, 2.4, 0.45), metric(0, 0.45, 2.4)], background_metric: plain, ...stripes(), K: 2,
      },
    },
  };
})();
