// What the figures that can be moved share: elements of a drawing, handles for mouse, finger and keyboard, level curves, colors.
"use strict";

window.lmlirDrawing ??= (function () {
  const SVG = "http://www.w3.org/2000/svg";
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }
  function make(parent, tag, attributes, text) {
    const element = set(document.createElementNS(SVG, tag), attributes || {});
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  function build(parent, tag, attributes, text) {
    const element = set(document.createElement(tag), attributes || {});
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  // Setting what is there already costs a layout, sixty times a second.
  function write(element, text) { if (element.textContent !== text) element.textContent = text; }

  // Lets an element be dragged by mouse or finger, and moved by the arrow keys, in small steps with Shift.
  // `toPlane(event)` is where the pointer is, `get()` where the handle is, `move(point)` and `nudge(way, step)` move it.
  function movable(group, { toPlane, get, move, nudge, changed, held }) {
    let grip = null;
    set(group, { tabindex: 0, role: "button", "aria-roledescription": "movable point" });
    group.addEventListener("pointerdown", (event) => {
      const at = toPlane(event), here = get();
      grip = [here[0] - at[0], here[1] - at[1]];
      group.setPointerCapture(event.pointerId);
      group.classList.add("held");
      group.focus({ preventScroll: true });
      event.preventDefault();
      if (held) held();
    });
    group.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const at = toPlane(event);
      move([at[0] + grip[0], at[1] + grip[1]]);
      changed();
    });
    const release = () => { grip = null; group.classList.remove("held"); };
    group.addEventListener("pointerup", release);
    group.addEventListener("pointercancel", release);
    group.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key], step = event.shiftKey ? 0.01 : 0.1;
      if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (nudge) nudge(way, step);
      else { const here = get(); move([here[0] + step * way[0], here[1] + step * way[1]]); }
      changed();
    });
    if (held) group.addEventListener("focus", held);
  }

  // Level curves by marching squares: `values` at (columns + 1) x (rows + 1) nodes of a canvas of the given size.
  function levelCurve(context, values, columns, rows, width, height, level) {
    const step = width / columns, rise = height / rows, stride = columns + 1;
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const at = j * stride + i;
        const a = values[at] - level, b = values[at + 1] - level, c = values[at + stride + 1] - level, d = values[at + stride] - level;
        const kind = (a > 0 ? 1 : 0) | (b > 0 ? 2 : 0) | (c > 0 ? 4 : 0) | (d > 0 ? 8 : 0);
        if (kind === 0 || kind === 15) continue;
        const x = i * step, y = j * rise;
        const top = x + step * a / (a - b), bottom = x + step * d / (d - c), left = y + rise * a / (a - d), right = y + rise * b / (b - c);
        const low = kind > 7 ? 15 - kind : kind; // the curve is the same with inside and outside exchanged
        if (low === 1) { context.moveTo(x, left); context.lineTo(top, y); }
        else if (low === 2) { context.moveTo(top, y); context.lineTo(x + step, right); }
        else if (low === 3) { context.moveTo(x, left); context.lineTo(x + step, right); }
        else if (low === 4) { context.moveTo(x + step, right); context.lineTo(bottom, y + rise); }
        else if (low === 6) { context.moveTo(top, y); context.lineTo(bottom, y + rise); }
        else if (low === 7) { context.moveTo(x, left); context.lineTo(bottom, y + rise); }
        else { context.moveTo(x, left); context.lineTo(top, y); context.moveTo(bottom, y + rise); context.lineTo(x + step, right); }
      }
    }
  }

  // 1, 2 or 5 times a power of ten, so that about `count` steps make up the range.
  function niceStep(range, count) {
    const rough = range / count, power = 10 ** Math.floor(Math.log10(rough)), lead = rough / power;
    return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
  }

  // The custom properties of an element as [red, green, blue] for a canvas; they follow the page's theme.
  function color(element, name) {
    const hex = getComputedStyle(element).getPropertyValue(name).trim();
    return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  }
  function onTheme(call) {
    new MutationObserver(call).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  function ellipsePath(center, ellipse, scale, toScreen, longest) {
    const [u, v] = ellipse.axes.map((axis) => Math.min(axis * scale, longest)), c = Math.cos(ellipse.angle), s = Math.sin(ellipse.angle);
    let path = "";
    for (let k = 0; k < 48; k++) {
      const x = u * Math.cos(k * Math.PI / 24), y = v * Math.sin(k * Math.PI / 24);
      const [sx, sy] = toScreen([center[0] + c * x - s * y, center[1] + s * x + c * y]);
      path += (k ? "L" : "M") + sx.toFixed(1) + " " + sy.toFixed(1);
    }
    return path + "Z";
  }

  return { build, color, ellipsePath, levelCurve, make, movable, niceStep, onTheme, set, write };
})();
