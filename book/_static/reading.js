// What a page does for its reader: shows or hides the code, and says where something scrolls.
// Without JavaScript every piece of code opens by itself, and everything is there.

const codeSwitch = () => {
  const code = document.querySelectorAll("details.longfat-code, .cell.longfat-quiet");
  const heading = document.querySelector("article h1");
  if (code.length === 0 || !heading) {
    return;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "longfat-switch";
  button.textContent = "Show all code";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    document.documentElement.classList.toggle("longfat-all-code", shown);
    document.querySelectorAll("details.longfat-code").forEach((one) => {
      one.open = shown;
    });
    note();
  });
  heading.after(button);
};

// What is wider than its place scrolls: by keyboard too, and a line says so.
const SCROLLERS = [
  "div.math",
  ".cell_output .text_html",
  ".longfat-table",
  ".pst-scrollable-table-container",
  ".atlas-scrolls",
  "article .highlight > pre",
].join(", ");

// The theme's switches of the contents' parts have no name of their own.
const nameSwitches = () => {
  for (const toggle of document.querySelectorAll("summary:has(.toctree-toggle)")) {
    toggle.setAttribute("aria-label", "more pages of this chapter");
  }
};
document.addEventListener("DOMContentLoaded", nameSwitches);

const note = () => {
  for (const box of document.querySelectorAll(SCROLLERS)) {
    const inner = box.querySelector(":scope > table")?.parentElement ?? box;
    const formula = box.querySelector(":scope > mjx-container, :scope > * > mjx-container");
    const wide = [inner, formula].some((one) => one && one.scrollWidth > one.clientWidth + 1);
    inner.classList.toggle("longfat-scrolls", wide);
    if (wide) inner.tabIndex = 0; // each time: the theme takes it away where it found no overflow
    if (wide && !inner.dataset.hinted) {
      inner.dataset.hinted = "yes";
      inner.setAttribute("role", "region");
      const other = inner.tagName === "PRE" ? "long lines" : "a wide table";
      inner.setAttribute("aria-label", inner.classList.contains("math") ? "a long formula" : other);
      const hint = document.createElement("p");
      hint.className = "longfat-scroll-hint";
      hint.setAttribute("aria-hidden", "true");
      hint.textContent = "scrolls sideways →";
      inner.after(hint);
    }
  }
  for (const formula of document.querySelectorAll("article mjx-container:not([display])")) {
    const place = formula.closest("p, li, td, th, dd, h1, h2, h3, h4, figcaption, caption");
    const wide = place && formula.scrollWidth > place.clientWidth + 1;
    formula.classList.toggle("longfat-scrolls", Boolean(wide));
  }
};

document.addEventListener("DOMContentLoaded", () => {
  codeSwitch();
  let waiting;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(note, 100);
  };
  window.addEventListener("resize", later);
  window.addEventListener("toggle", later, true);
  note();
  window.addEventListener("load", () => {
    note();
    window.MathJax?.startup?.promise?.then(note);
  });
});

// What a symbol or a term is, said where the pointer or the keyboard is.

let tip;
const say = (element, words) => {
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "longfat-tip";
    tip.setAttribute("role", "status");
    document.body.append(tip);
  }
  tip.replaceChildren(
    ...words.map((line) => {
      const row = document.createElement("div");
      row.textContent = line;
      return row;
    }),
  );
  tip.hidden = false;
  const place = element.getBoundingClientRect();
  const left = Math.max(8, Math.min(place.left, innerWidth - tip.offsetWidth - 8));
  const below = place.bottom + tip.offsetHeight + 8 < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? place.bottom + 4 : place.top - tip.offsetHeight - 4}px`;
};
const hush = () => {
  if (tip) {
    tip.hidden = true;
  }
};
const explain = (element, words) => {
  element.addEventListener("pointerenter", () => say(element, words));
  element.addEventListener("focus", () => say(element, words));
  element.addEventListener("pointerleave", hush);
  element.addEventListener("blur", hush);
};

const explainTerms = () => {
  for (const link of document.querySelectorAll('article a.reference[title][href*="#term-"]')) {
    const words = link.title;
    link.removeAttribute("title");
    explain(link, [words]);
  }
};

// A symbol is known by the characters that MathJax draws for it.
const drawn = (node) =>
  Array.from(node.querySelectorAll("[data-c]"), (one) => one.getAttribute("data-c")).join(" ");

const explainSymbols = () => {
  const data = document.getElementById("longfat-symbols");
  if (!data || !window.MathJax?.tex2svg) {
    return;
  }
  const known = new Map();
  for (const [tex, meaning] of JSON.parse(data.textContent)) {
    const key = drawn(MathJax.tex2svg(tex).querySelector('[data-mml-node="math"]'));
    known.set(key, [...(known.get(key) ?? []), meaning]);
  }
  for (const formula of document.querySelectorAll("article mjx-container[jax='SVG']")) {
    const found = new Set();
    const whole = known.get(drawn(formula));
    const parts = formula.querySelectorAll(
      '[data-mml-node="msub"], [data-mml-node="msubsup"], [data-mml-node="mi"]',
    );
    for (const part of whole ? [] : parts) {
      const within = part.parentElement.closest("[data-longfat-symbol]");
      const meanings = known.get(drawn(part));
      if (meanings && !within) {
        part.setAttribute("data-longfat-symbol", "");
        explain(part, meanings);
        meanings.forEach((meaning) => found.add(meaning));
      }
    }
    if (whole || found.size > 0) {
      const words = whole ?? [...found];
      formula.classList.add("longfat-explained");
      if (whole) {
        formula.addEventListener("pointerenter", () => say(formula, words));
        formula.addEventListener("pointerleave", hush);
      }
      formula.addEventListener("focus", () => say(formula, words));
      formula.addEventListener("blur", hush);
    }
  }
};

window.addEventListener("keydown", (event) => event.key === "Escape" && hush());
document.addEventListener("DOMContentLoaded", explainTerms);
window.addEventListener("load", () => window.MathJax?.startup?.promise?.then(explainSymbols));
