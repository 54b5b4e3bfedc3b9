// Filters the rows of a table by the values of some of its columns (longfat.book.sphinx.Table).
// Without JavaScript the whole table is there, and no controls.

const addFilter = (place) => {
  const table = place.parentElement.querySelector("table");
  const titles = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.trim());
  const rows = Array.from(table.tBodies[0].rows);
  const value = (row, column) => row.cells[column].textContent.trim();

  const made = (parent, tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    for (const [name, content] of Object.entries(attributes)) {
      element.setAttribute(name, content);
    }
    element.textContent = text;
    parent.append(element);
    return element;
  };

  const form = made(place, "form", { role: "search", "aria-label": "Filter the table" });
  const filters = place.dataset.columns.split(",").map((title) => {
    const column = titles.indexOf(title);
    const select = made(made(form, "label", {}, `${title} `), "select");
    made(select, "option", { value: "" }, "all");
    for (const text of new Set(rows.map((row) => value(row, column)))) {
      made(select, "option", { value: text }, text);
    }
    return { column, select };
  });
  const count = made(form, "output");

  const show = () => {
    for (const row of rows) {
      row.hidden = filters.some(
        ({ column, select }) => select.value && select.value !== value(row, column),
      );
    }
    const shown = rows.filter((row) => !row.hidden);
    shown.forEach((row, number) => row.classList.toggle("shaded", number % 2 === 1));
    count.textContent = `${shown.length} of ${rows.length}`;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
};

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".longfat-filter").forEach(addFilter);
});
