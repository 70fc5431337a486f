// The ways to another position in the inspection, each a dialog: another game, a stored game, and the fields of the
// state record set by hand.

import { get, post } from "../common/api.js";
import { h, openDialog, when } from "../common/dom.js";
import { FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";
import { stateForm } from "./state_form.js";

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

/**
 * Ask for the fields of a position that begins as `position`; null is chosen for the start of the game. A record that is
 * no position is refused by the server, in words.
 *
 * @param {Api.InspectWish} position
 * @param {(state: Api.PositionWish["state"]) => void} onChoose
 */
export async function askState(position, onChoose) {
  const { fields } = await post("/api/inspect/state", position);
  const form = stateForm(fields);
  openDialog("Set up a position", (close) => {
    const problem = h("p", { class: "notice error", role: "alert", hidden: true });
    const take = async (event) => {
      event.preventDefault();
      try {
        const state = form.read();
        await post("/api/inspect", { game: position.game, events: [], state });
        close();
        onChoose(state);
      } catch (error) {
        show(problem, error);
      }
    };
    const reset = () => {
      close();
      onChoose(null);
    };
    return h(
      "form",
      { class: "stack", onsubmit: take, novalidate: true },
      h(
        "p",
        { class: "muted small" },
        "On the board you can move for all sides and choose chance events, which is usually the quickest way to a " +
          "position. These are the numbers with which the game itself describes it.",
      ),
      form.element,
      problem,
      h(
        "div",
        { class: "row apart" },
        h("button", { class: "button", type: "button", onclick: reset }, "Reset to the start"),
        h("button", { class: "button primary" }, "Show this position"),
      ),
    );
  });
}

function show(problem, error) {
  problem.textContent = error.message;
  problem.hidden = false;
}
