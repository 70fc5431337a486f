// The outcome of a chance event, chosen by hand. Used by a paused live game and by inspection.

import { h } from "../common/dom.js";

/**
 * A select of the outcomes of the chance event that is due.
 *
 * @param {Api.OutcomeLine[]} outcomes
 * @param {(outcome: number) => void} onChoose
 */
export function chanceChooser(outcomes, onChoose) {
  const choose = (event) => event.target.value !== "" && onChoose(Number(event.target.value));
  return h(
    "select",
    { class: "chance-choice", "aria-label": "Outcome of the chance event", onchange: choose },
    h("option", { value: "" }, "Choose the chance outcome\u2026"),
    outcomes.map((o) => h("option", { value: o.outcome }, `${o.name} (${(100 * o.chance).toFixed(1)} %)`)),
  );
}
