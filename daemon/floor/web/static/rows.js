// Lists in rows and columns. On a narrow screen each row is a card, and each value stands by the
// name of its column: screens.css writes it there from the mark that it has here.

import { make } from "./frame.js";

/** The names of the columns of the table whose body this is. */
export const columnsOf = (body) => [...body.closest("table").tHead.rows[0].cells].map((one) => one.textContent);

/** A row of cells in the order of their columns; what is false among them is passed over. */
export function row(columns, attributes, ...cells) {
  const own = cells.filter(Boolean);
  own.forEach((cell, n) => cell.setAttribute("data-column", columns[n] ?? ""));
  return make("tr", attributes, own);
}

/** A table with these columns and rows, which a keyboard can scroll. */
export function rowsOf(title, columns, rows) {
  return make("div.scroll", { tabindex: 0, role: "group", "aria-label": title },
    make("table.rows", {},
      make("thead", {}, make("tr", {}, columns.map((one) => make("th", { scope: "col" }, one)))),
      make("tbody", {}, rows)));
}
