// The ways to another position in the inspection, each a dialog: another game, and a stored game.

import { get, post } from "../common/api.js";
import { h, openDialog, when } from "../common/dom.js";
import { FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";

const SHOWN_RECORDS = 50;

/**
 * Ask for a game.
 *
 * @param {string} spec
 * @param {(spec: string) => void} onChoose
 */
export async function askGame(spec, onChoose) {
  const picker = gamePicker(await get("/api/games"), { spec });
  openDialog("Choose a game", (close) => {
    const problem = h("p", { class: "notice error", role: "alert", hidden: true });
    const take = async (event) => {
      event.preventDefault();
      try {
        const opened = await post("/api/games/open", { game: picker.spec() });
        close();
        onChoose(opened.game);
      } catch (error) {
        if (error instanceof FormError || picker.showError(error.message)) return;
        show(problem, error);
      }
    };
    return h(
      "form",
      { class: "stack", onsubmit: take, novalidate: true },
      picker.element,
      problem,
      h("div", { class: "row end" }, h("button", { class: "button primary" }, "Inspect this game")),
    );
  });
}

/**
 * Ask for a stored game.
 *
 * @param {(record: Api.RecordDetail) => void} onChoose
 */
export async function askRecord(onChoose) {
  const { records } = await get("/api/records", { limit: SHOWN_RECORDS });
  openDialog("Stored games", (close) => {
    if (!records.length) return h("p", { class: "muted" }, "No stored games yet. Finished games appear here.");
    const take = async (id) => {
      close();
      onChoose(await get(`/api/records/${id}`));
    };
    return h(
      "ul",
      { class: "record-list" },
      records.map((record) =>
        h(
          "li",
          {},
          recordButton(record, () => take(record.id)),
        ),
      ),
    );
  });
}

/**
 * @param {Api.Record} record
 * @param {() => void} act
 */
function recordButton(record, act) {
  return h(
    "button",
    { type: "button", class: "record", onclick: act },
    h("strong", {}, record.title),
    h("span", {}, record.seats.join(" \u2013 ")),
    h("span", { class: "muted small" }, `${record.plies} plies, ${when(record.created)}`),
  );
}

function show(problem, error) {
  problem.textContent = error.message;
  problem.hidden = false;
}
