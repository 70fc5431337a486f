// Dialogs of a live game: its rules with what keys do, and who plays on.

import { get } from "../common/api.js";
import { h, openDialog } from "../common/dom.js";
import { playerChip } from "../common/players.js";
import { agentPicker, given } from "../forms/agent_picker.js";
import { FormError } from "../forms/form.js";
import { splitSpec } from "../forms/game_picker.js";

/**
 * The rules of the game, and what keys do.
 *
 * @param {Api.LiveGameView} view
 */
export async function showRules(view) {
  const rules = splitSpec(view.game, await get("/api/games"))?.game.rules ?? "";
  const keys = [
    ["Arrow keys", Object.keys(view.keys).length ? "play a move" : "move around the board"],
    ["Enter", "play the selected move"],
    ["n, p", "next, previous legal move"],
    ["b, c", "say the board, say the clocks, for screen readers"],
    ["u, r", "undo, redo"],
    ["h, v", "hint, values of all moves"],
    ["Space", "pause or resume the agents"],
    ["Esc", "interrupt an agent that is thinking"],
  ];
  openDialog(view.title, () => [
    h("p", {}, rules),
    h("h3", {}, "Keyboard"),
    h(
      "dl",
      { class: "keys" },
      keys.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]),
    ),
  ]);
}

/**
 * Ask who plays on.
 *
 * @param {Api.LiveGameView} view
 * @param {(seats: Api.SeatChoice[]) => void} onChoose
 */
export async function askSeats(view, onChoose) {
  const pickers = view.players.map((name, i) =>
    agentPicker({ label: [playerChip(name, i), name], people: true, value: given(view.seats[i].choice) }),
  );
  await Promise.all(pickers.map((picker) => picker.setGame(view.game)));
  openDialog("Change players", (close) => {
    const take = (event) => {
      event.preventDefault();
      let seats;
      try {
        seats = pickers.map((picker) => picker.choice() ?? {});
      } catch (error) {
        if (error instanceof FormError) return; // shown beside the field
        throw error;
      }
      close();
      onChoose(seats);
    };
    return h(
      "form",
      { class: "stack", onsubmit: take, novalidate: true },
      pickers.map((picker) => h("div", { class: "seat-setup" }, picker.element)),
      h("div", { class: "row end" }, h("button", { class: "button primary" }, "Apply")),
    );
  });
}
