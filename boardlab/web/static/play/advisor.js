// The advisor of a live game: an agent of the person's choice that gives a hint, or shows on the board what it thinks
// of every move.

import { eventsOf } from "../board/move_list.js";
import { valueList } from "../board/value_list.js";
import { post } from "../common/api.js";
import { h, icon, replace, toast } from "../common/dom.js";
import { adviserOf, chooseAgent } from "../forms/agent_dialog.js";

export class Advisor {
  /**
   * @param {import("../board/board.js").Board} board
   * @param {Api.LiveGameView} view
   */
  constructor(board, view) {
    this.board = board;
    this.view = view;
    /** @type {ChosenAgent | null} */
    this.agent = null; // null: the adviser that the server names
    this.showing = false;
    /** @type {AbortController | null} */
    this.request = null;
    this.list = valueList((action) => this.point(action));
    this.label = h("span", { class: "advisor-name" });
    this.state = h("span", { class: "advisor-state", role: "status" });
    this.element = h(
      "section",
      { class: "card advisor" },
      h(
        "div",
        { class: "card-head" },
        h("h2", {}, "Advisor"),
        h(
          "button",
          { class: "button ghost small", type: "button", onclick: () => this.choose() },
          icon("settings"),
          this.label,
        ),
      ),
      this.state,
      this.list.element,
    );
    this.label.textContent = "Choose";
  }

  /** @param {ChosenAgent} agent */
  take(agent) {
    this.agent = agent;
    this.label.textContent = agent.exact ? `${agent.label} (exact)` : agent.label;
  }

  /**
   * A new view of the game arrived.
   *
   * @param {Api.LiveGameView} view
   */
  update(view) {
    const moved = this.view.ply !== view.ply;
    const ready = this.asks(this.view) !== this.asks(view);
    this.view = view;
    if (moved) {
      this.state.textContent = "";
      this.board.overlay(null);
    }
    if (this.showing && (moved || ready)) this.askValues();
  }

  /** @param {Api.LiveGameView} view */
  asks(view) {
    return !view.over && !view.chance_due && view.legal.length > 0 && !view.thinking;
  }

  async hint() {
    const { id, ply } = this.view;
    this.state.textContent = "Looking for a hint\u2026";
    try {
      const hint = await post(`/api/tables/${id}/hint`, this.agent?.choice ?? {});
      if (this.view.ply !== ply) return;
      this.state.textContent = `Hint: ${hint.name} (${hint.label})`;
      this.board.hint(hint.action);
    } catch (error) {
      this.state.textContent = "";
      toast(error.message, "error");
    }
  }

  toggle() {
    this.showing = !this.showing;
    if (this.showing) this.askValues();
    else this.hide();
    return this.showing;
  }

  hide() {
    this.request?.abort();
    this.board.overlay(null);
    replace(this.list.element);
    this.state.textContent = "";
  }

  async askValues() {
    this.request?.abort();
    this.board.overlay(null);
    if (!this.asks(this.view)) {
      const message = this.view.over ? "The game is over." : "Values appear when it is someone's turn to move.";
      this.say(message);
      return;
    }
    const request = (this.request = new AbortController());
    const { id, game, moves, ply, helped } = this.view;
    const waiting = setTimeout(() => (this.state.textContent = "Evaluating the position\u2026"), 150);
    try {
      const agent = this.agent ?? (await adviserOf(game));
      if (!this.agent) this.take(agent);
      if (!helped) await post(`/api/tables/${id}/help`);
      const body = { game, events: eventsOf(moves, ply), choice: agent.choice };
      const answer = await post("/api/inspect", body, { signal: request.signal });
      if (request.signal.aborted) return;
      this.state.textContent = "";
      this.board.overlay(answer.values, answer.best);
      this.list.show([{ label: agent.label, answer }]);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.state.textContent = "";
      this.say(error.message);
    } finally {
      clearTimeout(waiting);
    }
  }

  /**
   * Say why there are no values.
   *
   * @param {string} message
   */
  say(message) {
    this.list.show([{ answer: { values: null, best: [], message } }]);
  }

  /** @param {number | null} action */
  point(action) {
    if (action === null) this.board.clearMarks();
    else this.board.hint(action, "pointed");
  }

  async choose() {
    await chooseAgent({
      title: "Advisor",
      game: this.view.game,
      value: this.agent?.choice,
      onChoose: (agent) => {
        this.take(agent);
        if (this.showing) this.askValues();
      },
    });
  }
}
