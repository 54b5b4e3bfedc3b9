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
  ".cell_output > .output.stream",
].join(", ");

const note = () => {
  for (const box of document.querySelectorAll(SCROLLERS)) {
    const inner = box.querySelector(":scope > table")?.parentElement ?? box;
    const wide = inner.scrollWidth > inner.clientWidth + 1;
    inner.classList.toggle("longfat-scrolls", wide);
    if (wide && !inner.hasAttribute("tabindex")) {
      inner.tabIndex = 0;
      inner.setAttribute("role", "region");
      inner.setAttribute(
        "aria-label",
        inner.classList.contains("math") ? "a long formula" : "a wide table",
      );
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
