// The form by which an agent enters a league.

import { post } from "../common/api.js";
import { h, icon } from "../common/dom.js";
import { agentPicker, given } from "../forms/agent_picker.js";
import { FormError } from "../forms/form.js";

export class EntryForm {
  /**
   * @param {string} game
   * @param {() => Promise<void>} onenter
   */
  constructor(game, onenter) {
    this.game = game;
    this.onenter = onenter;
    this.picker = agentPicker({ label: "Agent" });
    this.problem = h("p", { class: "notice error", role: "alert", hidden: true });
    this.button = h("button", { class: "button primary" }, icon("plus"), "Enter this agent");
    this.element = h(
      "details",
      { class: "entry-form fold" },
      h("summary", {}, "Enter an agent"),
      h(
        "form",
        { class: "stack", novalidate: true, onsubmit: (event) => (event.preventDefault(), this.submit()) },
        this.picker.element,
        this.problem,
        h("div", { class: "row" }, this.button),
      ),
    );
  }

  async setGame() {
    await this.picker.setGame(this.game);
  }

  async submit() {
    this.say("");
    this.button.disabled = true;
    try {
      const choice = this.picker.choice();
      if (choice) await this.enter(/** @type {Api.AgentChoice} */ (choice));
    } catch (error) {
      if (!(error instanceof FormError) && !this.picker.showError(error.message)) this.say(error.message);
    } finally {
      this.button.disabled = false;
    }
  }

  /** @param {Api.AgentChoice} choice */
  async enter(choice) {
    await post("/api/league/members", { game: this.game, agent: given(choice) });
    await this.onenter();
  }

  /** @param {string} text */
  say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }
}
