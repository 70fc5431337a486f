// The position editor: choose what to put down, click the places of the board, say whose turn it is. The server says at
// every step whether there is such a position, and why not.

import { Places } from "../board/places.js";
import { post } from "../common/api.js";
import { h, openDialog, replace } from "../common/dom.js";

const COLOURS = ["var(--bl-first)", "var(--bl-second)", "var(--bl-third)"];
const NAMED = { Black: "#20242c", White: "#fcfcfc" };
const MOST_STONES = 3;

/**
 * Edit a position; null is chosen for the start of the game.
 *
 * @param {Api.InspectWish} position
 * @param {(setup: Api.Setup | null) => void} onChoose
 */
export async function editPosition(position, onChoose) {
  const { game, events, setup } = position;
  const view = await post("/api/inspect/setup", { game, events, setup });
  openDialog(
    "Set up a position",
    (close) => {
      if (!view.places.length) return h("p", {}, "This game has no cells, so a position of it cannot be set up.");
      const editor = new PositionEditor(game, view);
      const take = (/** @type {Api.Setup | null} */ chosen) => {
        close();
        onChoose(chosen);
      };
      editor.use.addEventListener("click", () => take(editor.setup()));
      editor.reset.addEventListener("click", () => take(null));
      return editor.element;
    },
    { wide: true },
  );
}

class PositionEditor {
  /**
   * @param {string} game
   * @param {Api.SetupView} view
   */
  constructor(game, view) {
    this.game = game;
    this.view = view;
    this.values = [...view.values];
    this.player = view.player;
    this.asked = 0;
    this.empty = view.names.indexOf("empty");
    this.stones = this.empty === 0 && view.names.length - 1 <= MOST_STONES;
    this.chosen = Math.min(view.names.length - 1, this.empty + 1);
    this.places = new Places(
      view.places.map((place) => place.outline),
      "Board",
      (place) => this.put(place),
    );
    this.verdict = h("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.use = h("button", { class: "button primary", type: "button" }, "Use this position");
    this.reset = h("button", { class: "button", type: "button" }, "Start of the game");
    const clear = () => this.fill(view.values.map(() => 0));
    this.element = h(
      "div",
      { class: "position-editor" },
      h("div", { class: "editor-board" }, this.places.element),
      h(
        "div",
        { class: "stack" },
        this.choices("Put down", view.names, this.chosen, (value) => (this.chosen = value)),
        view.players.length > 1 &&
          this.choices("To move", view.players, this.player, (player) => {
            this.player = player;
            this.judge();
          }),
        h("p", { class: "muted small" }, "A second click on a place clears it. Arrow keys move, Enter puts down."),
        this.verdict,
        h(
          "div",
          { class: "row" },
          this.empty === 0 && h("button", { class: "button", type: "button", onclick: clear }, "Empty board"),
          this.reset,
          this.use,
        ),
      ),
    );
    this.show();
    this.judge();
  }

  /**
   * Radio buttons in a row.
   *
   * @param {string} title
   * @param {string[]} names
   * @param {number} current
   * @param {(index: number) => void} onchoose
   */
  choices(title, names, current, onchoose) {
    const name = `setup-${title}`;
    return h(
      "fieldset",
      { class: "chips" },
      h("legend", {}, title),
      names.map((text, k) =>
        h(
          "label",
          { class: "chip" },
          h("input", { type: "radio", name, checked: k === current, onchange: () => onchoose(k) }),
          h("span", {}, this.swatch(title, k), text),
        ),
      ),
    );
  }

  swatch(title, k) {
    const player = title === "To move" ? k : k - 1;
    const shown = this.stones && player >= 0;
    return shown && h("i", { class: "swatch", style: { background: this.colour(player) } });
  }

  /** @param {number} player */
  colour(player) {
    return NAMED[this.view.players[player]] ?? COLOURS[player];
  }

  /** @param {number} place */
  put(place) {
    const wanted = Math.min(this.chosen, this.view.places[place].values - 1);
    const nothing = this.empty === 0 ? 0 : this.view.start[place];
    this.values[place] = this.values[place] === wanted ? nothing : wanted;
    this.show();
    this.judge();
  }

  fill(values) {
    this.values = [...values];
    this.show();
    this.judge();
  }

  /** @returns {Api.Setup} */
  setup() {
    return { values: this.values, player: this.player };
  }

  show() {
    const { view } = this;
    this.places.show((place) => {
      const value = this.values[place];
      const edge = view.places[place].outline.length === 2;
      const name = edge ? (value ? "drawn" : "empty") : view.names[value];
      const label = `${edge ? "edge" : "place"} ${place + 1}: ${name}`;
      if (value === this.empty) return { label };
      if (edge)
        return { label, fill: this.stones && view.places[place].values > 2 ? this.colour(value - 1) : "var(--bl-ink)" };
      return this.stones ? { label, stone: this.colour(value - 1) } : { label, text: name === "." ? "" : name };
    });
  }

  /** Ask the server whether there is such a position. */
  async judge() {
    const turn = ++this.asked;
    this.use.disabled = true;
    this.verdict.classList.remove("error");
    replace(this.verdict, h("span", { class: "muted" }, "Checking\u2026"));
    let words = "";
    let good = true;
    try {
      words = (await post("/api/inspect/setup", { game: this.game, setup: this.setup() })).status;
    } catch (error) {
      words = error.message;
      good = false;
    }
    if (turn !== this.asked) return;
    replace(this.verdict, words.charAt(0).toUpperCase() + words.slice(1));
    this.verdict.classList.toggle("error", !good);
    this.use.disabled = !good;
  }
}
