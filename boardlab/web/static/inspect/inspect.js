// Inspection: what one or two agents think of every move, in any position: played by hand for all sides, set up field
// by field, or reached by stepping through a stored game. The address holds the position, so that it can be kept and
// shared.

import { chanceChooser } from "../board/chance.js";
import { moveList } from "../board/move_list.js";
import { valueList } from "../board/value_list.js";
import { get, post } from "../common/api.js";
import { headButton, iconButton } from "../common/buttons.js";
import { confirmQuestion, go, h, icon, replace, toast } from "../common/dom.js";
import { playerChip } from "../common/players.js";
import { positionWords } from "../common/words.js";
import { usualAgent } from "../forms/agent_dialog.js";
import { readAddress, writeAddress } from "./address.js";
import { AgentPane } from "./agent_pane.js";
import { askGame, askRecord } from "./position_dialogs.js";
import { editPosition } from "./position_editor.js";
import { TuplePanel } from "./tuple_panel.js";
import { WeightPanel } from "./weight_panel.js";

/**
 * The view `#/inspect`, with the position in the query.
 *
 * @type {Show}
 */
export async function show(root, _path, query) {
  const start = await readAddress(query);
  const inspection = new Inspection(root, start);
  await inspection.open();
  return () => inspection.leave();
}

class Inspection {
  /**
   * @param {HTMLElement} root
   * @param {import("./address.js").Start} start
   */
  constructor(root, { game, events, ply, agents, setup, names }) {
    this.left = false;
    this.turn = 0;
    this.game = game;
    this.events = events;
    this.ply = Math.min(Math.max(0, ply), events.length);
    this.setup = setup; // the start, where it was set up by hand
    this.names = names; // of those who played, where it is a stored game
    /** @type {Api.Inspected | null} */
    this.position = null;
    /** @type {Api.MoveLine[] | null} */
    this.allMoves = null; // the moves of all events, as the server names them
    this.agents = agents;
    /** @type {string[]} */
    this.players = [];
    /** @type {AgentPane[]} */
    this.panes = [];
    this.title = h("span", {});
    this.mover = h("span", { class: "status-mover" }); // in the colour of the stones on the board
    this.status = h("div", { class: "status-text", role: "status", "aria-live": "polite" });
    this.extra = h("div", { class: "status-extra" });
    this.paneBox = h("div", { class: "panes" });
    this.steps = this.makeSteps();
    this.moves = moveList((at) => this.goTo(at));
    this.values = valueList((action) => this.point(action));
    this.tuples = new TuplePanel();
    this.weights = new WeightPanel();
    replace(root, this.layOut());
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  leave() {
    this.left = true;
    document.removeEventListener("keydown", this.onKey);
    for (const pane of this.panes) pane.destroy();
    this.tuples.stop();
    this.weights.stop();
  }

  // ------------------------------------------------------------ what is on the page

  layOut() {
    return h(
      "div",
      { class: "game-view inspect-view" },
      h(
        "header",
        { class: "game-head" },
        h(
          "button",
          {
            class: "button title-button",
            type: "button",
            title: "Choose another game",
            onclick: () => this.chooseGame(),
          },
          h("h1", {}, this.title),
          icon("settings"),
        ),
        h(
          "div",
          { class: "game-actions" },
          headButton("Stored games", "games", () => this.chooseRecord()),
          headButton("Set up", "edit", () => this.setUp()),
          headButton("Play from here", "play", () => this.playFromHere()),
        ),
      ),
      h(
        "section",
        { class: "inspect-stage", "aria-label": "Position" },
        this.paneBox,
        h("div", { class: "status" }, this.mover, this.status, this.extra),
        h("div", { class: "steps", role: "toolbar", "aria-label": "Step through the game" }, Object.values(this.steps)),
      ),
      h(
        "aside",
        { class: "side" },
        h("section", { class: "card values-card" }, h("h2", {}, "Values"), this.values.element),
        h("section", { class: "card moves-card" }, h("h2", {}, "Moves"), this.moves.element),
      ),
      this.tuples.element,
      this.weights.element,
    );
  }

  makeSteps() {
    return {
      first: iconButton("First position", "first", () => this.goTo(0)),
      previous: iconButton("Previous position", "previous", () => this.goTo(this.ply - 1)),
      slider: h("input", {
        type: "range",
        min: 0,
        "aria-label": "Ply",
        oninput: (event) => this.goTo(Number(event.target.value)),
      }),
      next: iconButton("Next position", "next", () => this.goTo(this.ply + 1)),
      last: iconButton("Last position", "last", () => this.goTo(this.events.length)),
    };
  }

  // ------------------------------------------------------------ the position

  /** Begin with a game: its agents, and the position. */
  async open() {
    const opened = await post("/api/games/open", { game: this.game });
    this.game = opened.game;
    this.players = opened.players;
    this.title.textContent = opened.title;
    if (!this.agents.length) this.agents = [await usualAgent(this.game)];
    if (this.left) return;
    for (const pane of this.panes) pane.destroy();
    this.panes = this.agents.map((agent) => this.makePane(agent));
    this.showPanes();
    await this.refresh();
  }

  /** @param {ChosenAgent} agent */
  makePane(agent) {
    return new AgentPane(agent, {
      onAction: (action) => this.play({ action }),
      onAgent: () => this.changedAgents(),
      onCompare: () => this.addPane(),
      onRemove: (pane) => this.removePane(pane),
      onValues: (pane) => {
        this.showValues();
        this.suggest(pane);
      },
      game: () => this.game,
    });
  }

  showPanes() {
    const pair = this.panes.length > 1;
    this.paneBox.classList.toggle("pair", pair);
    replace(
      this.paneBox,
      this.panes.map((pane) => pane.element),
    );
    for (const pane of this.panes) pane.showAlone(!pair);
  }

  async addPane() {
    const agent = await secondAgent(this.game, this.panes[0].agent);
    const pane = this.makePane(agent);
    this.panes.push(pane);
    this.showPanes();
    this.changedAgents();
    if (this.position) pane.show(this.position, this.request());
  }

  /** @param {AgentPane} pane */
  removePane(pane) {
    pane.destroy();
    this.panes = this.panes.filter((other) => other !== pane);
    this.showPanes();
    this.changedAgents();
    this.showValues();
  }

  changedAgents() {
    this.agents = this.panes.map((pane) => pane.agent);
    this.showTuples();
    this.keepAddress();
  }

  /** What the server is asked about: the current position. */
  request() {
    /** @type {Api.InspectWish} */
    const body = { game: this.game, events: this.events.slice(0, this.ply) };
    if (this.setup) body.setup = this.setup;
    return body;
  }

  async refresh() {
    const turn = ++this.turn;
    /** @type {Api.Inspected} */
    let position;
    /** @type {Api.MoveLine[]} */
    let allMoves;
    try {
      position = await post("/api/inspect", this.request());
      const complete = this.ply === this.events.length;
      allMoves = complete
        ? position.moves
        : (this.allMoves ?? (await post("/api/inspect", { ...this.request(), events: this.events })).moves);
    } catch (error) {
      if (turn === this.turn && !this.left) toast(error.message, "error");
      return;
    }
    if (turn !== this.turn || this.left) return;
    this.position = position;
    this.allMoves = allMoves;
    this.showPosition(position, allMoves);
    for (const pane of this.panes) pane.show(position, this.request());
    this.showTuples();
    this.keepAddress();
  }

  /**
   * @param {Api.Inspected} position
   * @param {Api.MoveLine[]} moves
   */
  showPosition(position, moves) {
    const words = positionWords(position, { seats: this.names, players: this.players });
    this.status.textContent = this.setup ? `${words} \u00b7 set up by hand` : words;
    this.status.classList.toggle("over", position.over);
    const mover = this.players.length > 1 ? position.to_move : null;
    replace(this.mover, mover === null ? null : playerChip(this.players[mover], mover));
    const chance = position.chance_due
      ? chanceChooser(position.outcomes, (outcome) => this.play({ chance: outcome }))
      : null;
    replace(this.extra, chance, this.chanceDraw(position));
    this.moves.show({ moves, ply: this.ply, players: this.players });
    const length = this.events.length;
    this.steps.slider.max = String(length);
    this.steps.slider.value = String(this.ply);
    this.steps.slider.disabled = length === 0;
    this.steps.first.disabled = this.steps.previous.disabled = this.ply === 0;
    this.steps.last.disabled = this.steps.next.disabled = this.ply === length;
  }

  /** @param {Api.Inspected} position */
  chanceDraw({ chance_due: due, outcomes }) {
    if (!due) return null;
    const draw = () => {
      let rest = Math.random();
      const found = outcomes.find((o) => (rest -= o.chance) < 0) ?? outcomes[0];
      this.play({ chance: found.outcome });
    };
    return h(
      "button",
      { class: "button small", type: "button", title: "Pick a random outcome", onclick: draw },
      icon("dice"),
      "Random",
    );
  }

  /** @param {GameEvent} event */
  play(event) {
    this.events = [...this.events.slice(0, this.ply), event];
    this.ply = this.events.length;
    this.allMoves = null;
    this.refresh();
  }

  goTo(ply) {
    const wanted = Math.min(Math.max(0, ply), this.events.length);
    if (wanted === this.ply) return;
    this.ply = wanted;
    this.refresh();
  }

  showValues() {
    this.values.show(
      this.panes.map((pane) => ({ label: pane.agent.label, answer: pane.answer, waiting: pane.waiting })),
    );
  }

  /** @param {number | null} action */
  point(action) {
    for (const pane of this.panes) pane.point(action);
  }

  showTuples() {
    const names = this.names.length ? this.names : this.players;
    this.tuples.show(this.agents, names, this.request(), this.position);
    this.weights.show(this.agents, this.players);
    for (const pane of this.panes) this.suggest(pane);
  }

  /** @param {AgentPane} pane */
  suggest(pane) {
    if (pane.answer) this.tuples.suggest(pane.agent, pane.answer.best[0]);
  }

  keepAddress() {
    history.replaceState(null, "", writeAddress(this));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input, select, textarea, dialog") || document.querySelector("dialog[open]")) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const onBoard = this.panes.some((pane) => pane.board.frame.contains(document.activeElement));
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (onBoard && this.panes.some((pane) => pane.board.handleKey(event))) event.preventDefault();
    else if (step !== undefined) {
      event.preventDefault();
      this.goTo(this.ply + step);
    }
  }

  // ------------------------------------------------------------ other positions

  /** @param {{ game: string, events?: GameEvent[], ply?: number, setup?: Api.Setup | null, names?: string[] }} start */
  begin({ game, events = [], ply = events.length, setup = null, names = [] }) {
    const other = game !== this.game;
    Object.assign(this, { game, events, ply, setup, names, allMoves: null });
    if (!other) return this.refresh();
    this.agents = [];
    return this.open();
  }

  chooseGame() {
    return askGame(this.game, (game) => this.begin({ game }));
  }

  chooseRecord() {
    return askRecord(({ game, events, setup, seats }) => this.begin({ game, events, ply: 0, setup, names: seats }));
  }

  setUp() {
    return editPosition(this.request(), (setup) => this.begin({ game: this.game, setup }));
  }

  async playFromHere() {
    const question = { title: "Play from here?", text: "You play the side whose turn it is.", action: "Play" };
    if (!(await confirmQuestion(question))) return;
    const turn = this.position?.to_move ?? 0;
    const agent = this.panes[0].agent.choice;
    const seats = this.players.map((_, i) => (i === turn ? { person: "You" } : agent));
    const start = this.events.slice(0, this.ply);
    const started = await post("/api/tables", { game: this.game, seats, start, setup: this.setup });
    go(`#/play/${started.id}`);
  }
}

/**
 * An agent to compare another one with.
 *
 * @param {string} game
 * @param {ChosenAgent} first
 * @returns {Promise<ChosenAgent>}
 */
async function secondAgent(game, first) {
  const agents = (await get("/api/agents", { game })).filter((agent) => agent.usable && !agent.needs_file);
  const order = ["c4-perfect", "perfect", "mcts", "max-n"];
  const found =
    order
      .map((name) => agents.find((agent) => agent.agent === name))
      .find((a) => a && a.agent !== first.choice.agent) ?? agents[0];
  return { choice: { agent: found.agent, options: {} }, label: found.title };
}
