// A form that starts something that gets a live card: a game with its parameters, what else a kind of it needs, and where
// the server's refusal is shown.

import { h, icon } from "../common/dom.js";
import { FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";

export class StartForm {
  /**
   * @param {Api.GameInfo[]} games
   * @param {string} action what the button says
   * @param {import("../common/buttons.js").IconName} iconName
   */
  constructor(games, action, iconName) {
    this.asked = 0;
    this.picker = gamePicker(games, { onchange: () => this.gameChanged() });
    this.rest = h("div", { class: "stack" });
    this.problem = h("p", { class: "notice error", role: "alert", hidden: true });
    this.button = h("button", { class: "button primary", type: "submit" }, icon(iconName), action);
    this.element = h(
      "form",
      { class: "stack", novalidate: true, onsubmit: (event) => (event.preventDefault(), this.submit()) },
      this.picker.element,
      this.rest,
      this.problem,
      h("div", { class: "row" }, this.button),
    );
  }

  // ------------------------------------------------------------ what a form of a kind does

  /**
   * Offer what there is for a game, unless it is no longer `current` when the server has answered.
   *
   * @param {string} _spec
   * @param {() => boolean} _current
   */
  async offer(_spec, _current) {}

  /** Ask the server to start it. */
  async start() {}

  /**
   * The forms in which a mistake may be.
   *
   * @returns {{ showError: (sentence: string) => boolean }[]}
   */
  forms() {
    return [this.picker];
  }

  // ------------------------------------------------------------ what all of them do

  /**
   * Begin with this game.
   *
   * @param {string} spec
   */
  async open(spec) {
    this.picker.set(spec);
    await this.gameChanged();
  }

  async gameChanged() {
    const turn = ++this.asked;
    const current = () => turn === this.asked;
    this.say("");
    try {
      await this.offer(this.picker.spec(), current);
    } catch (error) {
      if (current()) this.refuse(error);
    }
  }

  async submit() {
    this.say("");
    this.button.disabled = true;
    try {
      await this.start();
    } catch (error) {
      this.refuse(error);
    } finally {
      this.button.disabled = false;
    }
  }

  /**
   * Show what was wrong, beside the field where there is one.
   *
   * @param {Error} error
   */
  refuse(error) {
    if (error instanceof FormError) return; // the form shows it already
    if (!this.forms().some((form) => form.showError(error.message))) this.say(error.message);
  }

  /** @param {string} text */
  say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }
}
