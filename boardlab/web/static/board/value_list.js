// The values of all moves of a position as a list, best first, for one agent or two side by side: what the overlay
// shows on the board, for games whose moves are no part of it and for screens where the numbers have no room.

import { h, replace, short } from "../common/dom.js";
import { heat, rangeOf } from "./overlay.js";

/**
 * {element, show(agents)}; agents = [{label, answer, waiting}], answer = what /api/inspect says, or null.
 * `onPoint(action|null)` is called while a row is pointed at.
 */
export function valueList({ onPoint = () => {} } = {}) {
  const element = h("div", { class: "values-box" });

  function show(agents) {
    const known = agents.filter((agent) => agent.answer?.values?.some((v) => Number.isFinite(v.value)));
    if (!known.length) {
      replace(element, h("p", { class: "muted small" }, emptyText(agents)));
      return;
    }
    const columns = known.map(readColumn);
    const first = columns[0];
    const ordered = [...first.names.keys()].sort(
      (a, b) => (first.values.get(b) ?? -Infinity) - (first.values.get(a) ?? -Infinity),
    );
    replace(
      element,
      known.length > 1
        ? h(
            "div",
            { class: "values-head" },
            h("span", {}),
            known.map((a) => h("span", { title: a.label }, a.label)),
          )
        : null,
      h(
        "ul",
        { class: "values", style: { "--agents": String(columns.length) } },
        ordered.map((action) => row(action, columns)),
      ),
    );
  }

  function row(action, columns) {
    return h(
      "li",
      {
        class: columns[0].best.has(action) ? "value best" : "value",
        dataset: { action },
        onpointerenter: () => onPoint(action),
        onpointerleave: () => onPoint(null),
      },
      h("span", { class: "value-name" }, columns[0].names.get(action)),
      columns.map((column) => cell(column, action)),
    );
  }

  return { element, show };
}

function emptyText(agents) {
  if (agents.some((agent) => agent.waiting)) return "Looking at the position\u2026";
  return agents.find((agent) => agent.answer?.message)?.answer.message ?? "No values here.";
}

function readColumn({ answer }) {
  const finite = answer.values.filter((v) => Number.isFinite(v.value));
  const [low, high] = rangeOf(finite);
  return {
    names: new Map(answer.values.map((v) => [v.action, v.name])),
    values: new Map(finite.map((v) => [v.action, v.value])),
    best: new Set(answer.best),
    low,
    high,
  };
}

function cell({ values, best, low, high }, action) {
  const value = values.get(action);
  if (value === undefined)
    return h("span", { class: "value-cell" }, h("span", {}), h("span", { class: "value-number num" }, "-"));
  const share = high - low < 1e-9 ? 1 : (value - low) / (high - low);
  return h(
    "span",
    {
      class: best.has(action) ? "value-cell best" : "value-cell",
      style: { "--heat": heat(value, low, high), "--share": `${Math.round(6 + 94 * share)}%` },
    },
    h("span", { class: "value-bar" }, h("i", {})),
    h("span", { class: "value-number num" }, short(value)),
  );
}
