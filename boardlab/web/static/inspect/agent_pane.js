// One agent in the inspection: its name, the board, and its values laid over it.

import { Board } from "../board/board.js";
import { post } from "../common/api.js";
import { iconButton } from "../common/buttons.js";
import { h, icon, replace } from "../common/dom.js";
import { chooseAgent } from "../forms/agent_dialog.js";

export class AgentPane {
  /**
   * @param {ChosenAgent} agent
   * @param {object} on what is to be done, and what game it is
   * @param {(action: number) => void} on.onAction
   * @param {() => void} on.onAgent another agent was chosen
   * @param {() => void} on.onCompare
   * @param {(pane: AgentPane) => void} on.onRemove
   * @param {(pane: AgentPane) => void} on.onValues
   * @param {() => string} on.game
   */
  constructor(agent, on) {
    this.agent = agent;
    this.on = on;
    /** @type {Opinion | null} */
    this.answer = null;
    this.waiting = false;
    /** @type {[Api.Inspected, Api.InspectWish] | null} */
    this.asked = null;
    /** @type {AbortController | null} */
    this.request = null;
    this.board = new Board({ onAction: (action) => on.onAction(action), label: "Position" });
    this.name = h("span", { class: "pane-name" });
    this.note = h("span", { class: "pane-note", role: "status" });
    this.remove = iconButton("Remove this agent", "close", () => on.onRemove(this));
    this.compare = h(
      "button",
      {
        class: "button ghost small",
        type: "button",
        title: "Compare with another agent",
        onclick: () => on.onCompare(),
      },
      icon("plus"),
      "Compare",
    );
    const choose = h(
      "button",
      { class: "button small pane-agent", type: "button", title: "Choose another agent", onclick: () => this.choose() },
      icon("agents"),
      this.name,
    );
    this.element = h(
      "div",
      { class: "pane" },
      h("div", { class: "pane-head" }, choose, this.note, this.compare, this.remove),
      this.board.element,
    );
    this.name.textContent = agent.label;
  }

  /** Whether it is the only agent that is looked at. */
  showAlone(yes) {
    this.compare.hidden = !yes;
    this.remove.hidden = yes;
  }

  choose() {
    return chooseAgent({
      title: "Choose an agent",
      game: this.on.game(),
      value: this.agent.choice,
      onChoose: (agent) => {
        this.agent = agent;
        this.name.textContent = agent.label;
        this.on.onAgent();
        if (this.asked) this.show(...this.asked);
      },
    });
  }

  /**
   * Show a position at once, and the agent's values as soon as it has them.
   *
   * @param {Api.Inspected} position
   * @param {Api.InspectWish} body
   */
  async show(position, body) {
    this.asked = [position, body];
    this.request?.abort();
    this.answer = null;
    this.board.draw({ svg: position.svg, legal: position.legal, playable: true, keys: position.keys });
    this.board.overlay(null);
    replace(this.note);
    this.waiting = position.legal.length > 0;
    this.on.onValues(this);
    if (!this.waiting) return;
    const request = (this.request = new AbortController());
    const slow = setTimeout(() => replace(this.note, h("span", { class: "spinner" })), 150);
    try {
      this.answer = await post("/api/inspect", { ...body, choice: this.agent.choice }, { signal: request.signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      this.answer = { values: null, best: [], message: error.message };
    } finally {
      clearTimeout(slow);
    }
    if (request.signal.aborted) return;
    this.waiting = false;
    this.showAnswer(this.answer);
    this.on.onValues(this);
  }

  /** @param {Opinion} answer */
  showAnswer({ values, best, seconds, message }) {
    const time = seconds ?? 0;
    this.board.overlay(values, best);
    if (values) replace(this.note, `${time < 0.095 ? time.toFixed(2) : time.toFixed(1)} s`);
    else replace(this.note, message || "no values");
    if (!values && best.length) this.board.hint(best[0]);
  }

  /** @param {number | null} action */
  point(action) {
    if (action === null) this.board.clearMarks();
    else this.board.hint(action, "pointed");
  }

  destroy() {
    this.request?.abort();
    this.board.destroy();
  }
}
