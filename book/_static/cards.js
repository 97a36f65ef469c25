// A card beside a link to a definition, an equation, an erratum, a choice or a theorem: on hover, on keyboard focus, and on a
// long touch. The contents are in cards_data.js; a card never covers its own link, and Escape closes it.
(() => {
  let cards = {};
  const anchorOf = (link) => decodeURIComponent((link.getAttribute("href") || "").split("#")[1] || "");
  const card = document.createElement("aside");
  card.className = "hover-card";
  card.id = "hover-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  const mathJax = () => Boolean(window.MathJax && MathJax.typesetPromise); // pages without formulas do not load it
  let waiting = 0;

  const place = (link) => {
    const box = link.getBoundingClientRect(), gap = 8, page = document.documentElement;
    const left = Math.min(Math.max(gap, box.left), page.clientWidth - card.offsetWidth - gap);
    const below = box.bottom + gap + card.offsetHeight < page.clientHeight;
    card.style.left = `${Math.max(gap, left) + window.scrollX}px`;
    card.style.top = `${(below ? box.bottom + gap : box.top - gap - card.offsetHeight) + window.scrollY}px`;
  };
  const show = (link) => {
    card.innerHTML = cards[anchorOf(link)];
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    place(link);
    for (const line of card.querySelectorAll("p")) if (line.textContent.startsWith("\\(")) line.hidden = !mathJax();
    if (mathJax()) MathJax.typesetPromise([card]).then(() => card.hidden || place(link));
  };
  const hide = () => {
    clearTimeout(waiting);
    card.hidden = true;
    document.querySelectorAll("[aria-describedby=hover-card]").forEach((link) => link.removeAttribute("aria-describedby"));
  };

  document.addEventListener("DOMContentLoaded", () => {
    cards = window.lmlirCards || {};
    document.body.append(card);
    for (const link of document.querySelectorAll(".bd-article a[href*='#']")) {
      if (!Object.hasOwn(cards, anchorOf(link)) || link.classList.contains("headerlink")) continue;
      link.classList.add("has-card");
      link.addEventListener("mouseenter", () => { waiting = setTimeout(() => show(link), 250); });
      link.addEventListener("focus", () => show(link));
      for (const event of ["mouseleave", "blur"]) link.addEventListener(event, hide);
    }
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  });
})();
