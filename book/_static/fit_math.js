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
      const number = formula.querySelector("mjx-labels");
      const wide = math.getBoundingClientRect().width + (number ? 2 * number.getBoundingClientRect().width : 0);
      if (wide > room) {
        const size = parseFloat(getComputedStyle(formula).fontSize) * Math.max(SMALLEST, (room - 2) / wide);
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
