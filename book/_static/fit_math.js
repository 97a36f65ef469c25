// Formulas that are wider than their line, as on a phone, are set smaller until they fit, down to half their size.
(() => {
  const SMALLEST = 0.5;
  const fit = () => {
    for (const formula of document.querySelectorAll(".bd-article mjx-container")) {
      formula.style.fontSize = "";
      const math = formula.querySelector("mjx-math");
      const block = formula.closest("div.math, p, li, td, dd, figcaption") || formula.parentElement;
      if (!math || !block.clientWidth) continue;
      const style = getComputedStyle(block);
      const room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const number = block.querySelector(":scope > .eqno");
      const left = room - (number ? number.getBoundingClientRect().width + 8 : 0);
      const wide = math.getBoundingClientRect().width;
      if (wide > left) {
        const size = parseFloat(getComputedStyle(formula).fontSize) * Math.max(SMALLEST, (left - 2) / wide);
        formula.style.setProperty("font-size", `${size}px`, "important");
      }
    }
  };
  addEventListener("load", () => {
    if (!window.MathJax || !MathJax.startup) return;
    MathJax.startup.promise.then(fit);
    addEventListener("resize", fit);
  });
})();
