// Tables of things, each a row: agents, games, standings. On a small screen rows become short lists (styles/lists.css).

import { h } from "./dom.js";

/**
 * @param {string} look "narrow-list" or "narrow-flow", and other classes
 * @param {Columns} columns what their cells are
 * @param {HTMLTableRowElement[]} rows
 */
export function dataTable(look, columns, rows) {
  const head = Object.entries(columns).map(([title, kind]) =>
    h(
      "th",
      { scope: "col", class: kind === "num" ? "num" : null },
      title || h("span", { class: "visually-hidden" }, "Actions"),
    ),
  );
  return h("table", { class: `table ${look}` }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
}
