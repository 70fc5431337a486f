// A game that was played elsewhere, taken in as a list of move names, to be replayed and analysed.

import { get, post } from "../common/api.js";
import { go, h, icon, openDialog } from "../common/dom.js";
import { FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";

/** The button that opens the dialog. */
export function importButton() {
  return h("button", { class: "button", type: "button", onclick: askMoves }, icon("upload"), "Import");
}

async function askMoves() {
  const games = await get("/api/games");
  const picker = gamePicker(games, {});
  const moves = h("textarea", { id: "import-moves", rows: 6, spellcheck: "false", placeholder: "d3 c3 c4" });
  openDialog("Import a game", (close) => {
    const problem = h("p", { class: "notice error", role: "alert", hidden: true });
    const take = async (event) => {
      event.preventDefault();
      try {
        const kept = await post("/api/records/import", { game: picker.spec(), moves: moves.value });
        close();
        go(`#/games/${kept.id}`);
      } catch (error) {
        if (error instanceof FormError || picker.showError(error.message)) return;
        problem.textContent = error.message;
        problem.hidden = false;
      }
    };
    return h(
      "form",
      { class: "stack", onsubmit: take, novalidate: true },
      picker.element,
      h(
        "div",
        { class: "field" },
        h("label", { for: "import-moves" }, "Moves"),
        moves,
        h(
          "p",
          { class: "doc" },
          "By their names as the game writes them, with or without numbers; chance events stand in parentheses.",
        ),
      ),
      problem,
      h("div", { class: "row end" }, h("button", { class: "button primary" }, "Import")),
    );
  });
}
