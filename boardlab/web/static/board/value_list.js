// The values of all moves of a position as a list, best first, for one agent or two side by side: what the overlay
// shows on the board, for games whose moves are no part of it and for screens where the numbers have no room.

import { h, replace, short } from "../common/dom.js";
import { heat, isNumber, rangeOf } from "./overlay.js";

/** @typedef {{ label?: string, answer: Opinion | null, waiting?: boolean }} AgentOpinion */
/** @typedef {ReturnType<typeof readColumn>[number]} Column */

/**
 * {element, show(opinions)}; `onPoint` is called while a row is pointed at.
 *
 * @param {(action: number | null) => void} onPoint
 */
export function valueList(onPoint) {
  const element = h("div", { class: "values-box" });

  /** @param {AgentOpinion[]} agents */
  function show(agents) {
    const columns = agents.flatMap(readColumn);
    if (!columns.length) {
      replace(element, h("p", { class: "muted small" }, emptyText(agents)));
      return;
    }
    const first = columns[0];
    const ordered = [...first.names.keys()].sort(
      (a, b) => (first.values.get(b) ?? -Infinity) - (first.values.get(a) ?? -Infinity),
    );
    replace(
      element,
      columns.length > 1
        ? h(
            "div",
            { class: "values-head" },
            h("span", {}),
            columns.map(({ label }) => h("span", { title: label }, label)),
          )
        : null,
      h(
        "ul",
        { class: "values", style: { "--agents": String(columns.length) } },
        ordered.map((action) => row(action, columns)),
      ),
    );
  }

  /**
   * @param {number} action
   * @param {Column[]} columns
   */
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

/** @param {AgentOpinion[]} agents */
function emptyText(agents) {
  if (agents.some((agent) => agent.waiting)) return "Evaluating the position\u2026";
  return agents.find((agent) => agent.answer?.message)?.answer?.message ?? "No values for this position.";
}

/**
 * What an agent's column shows; nothing, where it has no values.
 *
 * @param {AgentOpinion} agent
 */
function readColumn({ label = "", answer }) {
  const all = answer?.values ?? [];
  /** @type {Map<number, number>} */
  const values = new Map(all.flatMap(({ action, value }) => (isNumber(value) ? [[action, value]] : [])));
  if (!answer || !values.size) return [];
  const [low, high] = rangeOf(all);
  return [{ label, names: new Map(all.map((v) => [v.action, v.name])), values, best: new Set(answer.best), low, high }];
}

/**
 * @param {Column} column
 * @param {number} action
 */
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
