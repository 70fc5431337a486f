// Those who take part in a tournament that is being set up, in the order of their seeds.

import { iconButton } from "../common/buttons.js";
import { h, replace } from "../common/dom.js";

/** @typedef {{ choice: Api.AgentChoice, label: string, problem?: string }} Entrant */

export class EntrantList {
  /** @param {() => void} onchange */
  constructor(onchange) {
    this.onchange = onchange;
    /** @type {Entrant[]} */
    this.entrants = [];
    this.list = h("ol", { class: "entrants", "aria-label": "Agents that take part" });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.element = h("div", { class: "stack" }, this.list, this.problem);
  }

  choices() {
    return this.entrants.map(({ choice }) => choice);
  }

  /**
   * Add some; those who take part already do not so twice.
   *
   * @param {Entrant[]} entrants
   */
  add(entrants) {
    this.say("");
    for (const entrant of entrants) {
      const known = this.entrants.some(({ choice }) => JSON.stringify(choice) === JSON.stringify(entrant.choice));
      if (known) this.say(`${entrant.label} takes part already.`);
      else this.entrants.push(entrant);
    }
    this.changed();
  }

  /**
   * Keep only those for whom it holds.
   *
   * @param {(choice: Api.AgentChoice) => boolean} holds
   */
  keep(holds) {
    this.entrants = this.entrants.filter(({ choice }) => holds(choice));
    this.say("");
    this.changed();
  }

  changed() {
    this.draw();
    this.onchange();
  }

  draw() {
    replace(
      this.list,
      this.entrants.map((entrant, i) =>
        h(
          "li",
          { class: entrant.problem ? "bad" : null },
          h("span", {}, entrant.label, entrant.problem ? h("small", { class: "error" }, entrant.problem) : null),
          i > 0 ? iconButton(`Move ${entrant.label} up`, "up", () => this.moveUp(i)) : null,
          iconButton(`Remove ${entrant.label}`, "close", () => this.remove(i)),
        ),
      ),
    );
  }

  /** @param {number} i */
  moveUp(i) {
    const [moved] = this.entrants.splice(i, 1);
    this.entrants.splice(i - 1, 0, moved);
    this.changed();
    this.focusOn(i - 1);
  }

  /** @param {number} i */
  remove(i) {
    this.entrants.splice(i, 1);
    this.say("");
    this.changed();
    this.focusOn(Math.min(i, this.entrants.length - 1));
  }

  /** @param {number} i the focus does not get lost with a button that is gone */
  focusOn(i) {
    this.list.children[i]?.querySelector("button")?.focus();
  }

  /** @param {string} text */
  say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
    for (const entrant of this.entrants) delete entrant.problem;
  }

  /**
   * Show a sentence of the server at the agent that it is about, or below the list.
   *
   * @param {string} sentence
   */
  showError(sentence) {
    const found = /^entrants(?:\.(\d+))?[^:]*: (.*)/s.exec(sentence);
    if (!found) return false;
    this.say("");
    const entrant = found[1] === undefined ? undefined : this.entrants[Number(found[1])];
    if (entrant) entrant.problem = found[2];
    else this.say(found[2]);
    this.draw();
    return true;
  }
}
