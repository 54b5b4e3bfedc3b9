// Chooses among the rows of a table, cards, or terms: by the values of columns, and by words
// (longfat.book.sphinx.Table, Cards, Glossary). Without JavaScript everything is there, and no form.

const addFilter = (place) => {
  const whole = place.parentElement;
  const table = whole.querySelector("table");
  const terms = whole.querySelector("dl.glossary");
  const rows = table
    ? Array.from(table.tBodies[0].rows)
    : Array.from(whole.querySelectorAll(terms ? "dl.glossary > dt" : ".longfat-card"));
  const titles = table
    ? Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.trim())
    : [];
  const value = (row, column) => row.cells[column].textContent.trim();
  const text = (row) =>
    (row.textContent + (terms ? row.nextElementSibling.textContent : "")).toLowerCase();

  const made = (parent, tag, attributes = {}, words = "") => {
    const element = document.createElement(tag);
    for (const [name, content] of Object.entries(attributes)) {
      element.setAttribute(name, content);
    }
    element.textContent = words;
    parent.append(element);
    return element;
  };

  const form = made(place, "form", { role: "search", "aria-label": "Choose among the rows" });
  const words =
    "search" in place.dataset
      ? made(made(form, "label", {}, "with the words "), "input", { type: "search" })
      : undefined;
  const columns = place.dataset.columns ? place.dataset.columns.split(",") : [];
  const filters = columns.map((title) => {
    const column = titles.indexOf(title);
    const select = made(made(form, "label", {}, `${title} `), "select");
    made(select, "option", { value: "" }, "all");
    for (const one of new Set(rows.map((row) => value(row, column)))) {
      made(select, "option", { value: one }, one);
    }
    return { column, select };
  });
  const count = made(form, "output");

  const show = () => {
    const asked = (words?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      row.hidden =
        filters.some(({ column, select }) => select.value && select.value !== value(row, column)) ||
        asked.some((word) => !text(row).includes(word));
      if (terms) {
        row.nextElementSibling.hidden = row.hidden;
      }
    }
    const shown = rows.filter((row) => !row.hidden);
    shown.forEach((row, number) => row.classList.toggle("shaded", number % 2 === 1));
    count.textContent = `${shown.length} of ${rows.length}`;
  };
  // The address may choose, too: #sender=BBR&criterion=high+loss, values of columns.
  const showAsked = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    filters.forEach(({ select }, number) => {
      const wanted = asked.get(columns[number]);
      if (Array.from(select.options, (one) => one.value).includes(wanted)) select.value = wanted;
    });
    show();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", showAsked);
  showAsked();
};

// A table of which each cell opens what it counts or names in the rows of another page's: a number,
// those with the column's title as their verdict; names with commas, each the row of that criterion.
const addEvidence = (place) => {
  const table = place.parentElement.querySelector("table");
  const titles = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    const [who, ...cells] = row.cells;
    const link = (column, value, text) => {
      const made = document.createElement("a");
      const query = new URLSearchParams({ [titles[0]]: who.textContent.trim(), [column]: value });
      made.href = `${place.dataset.page}#${query}`;
      made.textContent = text;
      return made;
    };
    cells.forEach((cell, number) => {
      const text = cell.textContent.trim();
      if (text === "0" || text === "none") return;
      const links = /^\d+$/.test(text)
        ? [link("verdict", titles[number + 1], text)]
        : text.split(", ").flatMap((name) => [", ", link("criterion", name, name)]).slice(1);
      (cell.querySelector("p") ?? cell).replaceChildren(...links);
    });
  }
};

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".longfat-filter").forEach(addFilter);
  document.querySelectorAll(".longfat-evidence").forEach(addEvidence);
});
