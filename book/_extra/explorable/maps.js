// The playground's maps: D and its metric hull around x_i, and the decision value f, at the nodes of a grid; and how to paint them.
// A view is { halfWidth, halfHeight } of the plane and { width, height } of the canvas.
"use strict";

window.lmlirMaps ??= (function () {
  const G = window.lmlirGeometry, { levelCurve, niceStep } = window.lmlirDrawing;

  function gridOf(view, columns) { return { columns, rows: Math.max(Math.round(columns * view.height / view.width), 2) }; }
  function node(view, grid, i, j, at) {
    at[0] = view.halfWidth * (2 * i / grid.columns - 1);
    at[1] = view.halfHeight * (1 - 2 * j / grid.rows);
    return at;
  }
  function nodes(view, grid) {
    const points = [];
    for (let j = 0; j <= grid.rows; j++) for (let i = 0; i <= grid.columns; i++) points.push(node(view, grid, i, j, [0, 0]));
    return points;
  }

  // All three functions that compute pause after each row or point, so that nobody waits for them.
  function* field(view, columns, value) {
    const grid = gridOf(view, columns), values = new Float64Array((columns + 1) * (grid.rows + 1)), at = [0, 0];
    for (let j = 0, n = 0; j <= grid.rows; j++) {
      for (let i = 0; i <= columns; i++, n++) values[n] = value(node(view, grid, i, j, at));
      yield;
    }
    return { ...grid, values };
  }
  // Theorem B: chains through the nodes of a grid; between the nodes interpolated, and nowhere above D.
  function* hullField(state, view, columns, D) {
    const grid = gridOf(view, columns), points = [state.x_i, state.x_j, ...nodes(view, grid)];
    const { rho, before } = yield* G.shortestChains(points, state, state.exact);
    const chain = [];
    for (let at = 1; at >= 0; at = before[at]) chain.push(points[at]);
    const values = new Float64Array(D.values.length), stride = columns + 1;
    for (let j = 0, n = 0; j <= D.rows; j++) {
      const v = j / D.rows * grid.rows, row = Math.min(Math.floor(v), grid.rows - 1), t = v - row;
      for (let i = 0; i <= D.columns; i++, n++) {
        const u = i / D.columns * columns, column = Math.min(Math.floor(u), columns - 1), w = u - column, k = 2 + row * stride + column;
        const between = (1 - t) * ((1 - w) * rho[k] + w * rho[k + 1]) + t * ((1 - w) * rho[k + stride] + w * rho[k + stride + 1]);
        values[n] = Math.min(D.values[n], between);
      }
    }
    return { columns: D.columns, rows: D.rows, values, chain, length: rho[1], count: points.length };
  }
  // What the layers of a state need, on grids of detail.D, detail.rho and detail.f columns.
  function* compute(state, view, K, detail) {
    const maps = {}, shown = (name) => state.layers.includes(name);
    if (shown("circles") || shown("hull")) maps.D = yield* field(view, detail.D, (x) => G.distance(state.x_i, x, state, state.exact));
    if (shown("hull")) maps.rho = yield* hullField(state, view, detail.rho, maps.D);
    if (shown("map") && K) maps.f = yield* field(view, detail.f, (x) => G.decisionValue(x, state.X_minus, state.X_plus, K, state, state.exact));
    return maps;
  }

  function strokeLevels(context, view, map, levels, [r, g, b], opacity, width) {
    context.beginPath();
    for (const level of levels) levelCurve(context, map.values, map.columns, map.rows, view.width, view.height, level);
    context.strokeStyle = `rgb(${r} ${g} ${b} / ${opacity})`;
    context.lineWidth = width;
    context.lineCap = "round";
    context.stroke();
  }
  function paintClasses(context, view, map, colors) {
    const width = map.columns + 1, height = map.rows + 1, image = new ImageData(width, height);
    const largest = map.values.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-9);
    map.values.forEach((value, n) => {
      const [r, g, b] = value > 0 ? colors.plus : colors.minus, strength = Math.min(Math.abs(value) / largest * 3, 1);
      image.data.set([r, g, b, value === 0 ? 0 : 45 + 75 * strength], 4 * n);
    });
    const small = new OffscreenCanvas(width, height);
    small.getContext("2d").putImageData(image, 0, 0);
    const cell = [view.width / map.columns, view.height / map.rows]; // nodes lie on the border: half a cell of the image is outside
    context.drawImage(small, -cell[0] / 2, -cell[1] / 2, view.width + cell[0], view.height + cell[1]);
    strokeLevels(context, view, map, [0], colors.ink, 1, 1.6);
  }
  // Paints the maps and returns how far apart the circles are.
  function paint(context, view, maps, colors, circles) {
    context.clearRect(0, 0, view.width, view.height);
    if (maps.f) paintClasses(context, view, maps.f, colors);
    if (!maps.D) return 0;
    const largest = maps.D.values.reduce((m, v) => Math.max(m, v), 0), step = niceStep(largest || 1, 12), levels = [];
    for (let level = step; level < largest; level += step) levels.push(level);
    if (maps.rho) strokeLevels(context, view, maps.rho, levels, colors.hull, 0.45, 4.5);
    if (circles) strokeLevels(context, view, maps.D, levels, colors.circle, 1, 1.3);
    return step;
  }

  return { compute, gridOf, nodes, paint };
})();
