// The form that starts a match.

import { StartForm } from "../cards/start_form.js";
import { post } from "../common/api.js";
import { h, icon, replace } from "../common/dom.js";
import { agentPicker } from "../forms/agent_picker.js";
import { buildForm } from "../forms/form.js";

const MOST_ALONE = 8;
const USUAL_GAMES = 20;

/** The form for a match: a game and as many agents as it has players; alone, any number of them compares. */
export class NewMatch extends StartForm {
  /**
   * @param {Api.GameInfo[]} games
   * @param {Api.AboutArena["limits"]} limits
   * @param {(match: Api.Match) => void} onstart
   */
  constructor(games, limits, onstart) {
    super(games, "Start match", "compete");
    this.onstart = onstart;
    this.spec = "";
    /** @type {string[]} */
    this.players = [];
    /** @type {import("../forms/agent_picker.js").AgentPicker[]} */
    this.pickers = [];
    this.agents = h("div", { class: "stack" });
    this.more = h(
      "button",
      { class: "button small", type: "button", onclick: () => this.addAgent() },
      icon("plus"),
      "Add agent",
    );
    this.moreRow = h("div", { class: "row" }, this.more);
    this.settings = buildForm([
      {
        name: "games",
        kind: "integer",
        default: USUAL_GAMES,
        low: 1,
        high: limits.match_games,
        doc: "the agents swap seats from game to game",
      },
      {
        name: "seed",
        kind: "integer",
        default: null,
        nullable: true,
        low: 0,
        high: 999999999999,
        doc: "if empty, a random one",
      },
    ]);
    replace(this.rest, this.agents, this.moreRow, this.settings.element);
  }

  /**
   * @param {string} spec
   * @param {() => boolean} current
   */
  async offer(spec, current) {
    const { players } = await post("/api/games/open", { game: spec });
    if (!current()) return;
    this.spec = spec;
    this.players = players;
    await this.setSeats(players.length === 1 ? Math.max(1, this.pickers.length) : players.length);
  }

  forms() {
    return [this.picker, this.settings, ...this.pickers];
  }

  async start() {
    const agents = this.pickers.map((picker) => picker.choice() ?? {});
    const { games = USUAL_GAMES, seed } = /** @type {{ [name: string]: number }} */ (this.settings.values());
    this.onstart(await post("/api/matches", { game: this.picker.spec(), agents, games, seed }));
  }

  /** @param {number} wanted */
  async setSeats(wanted) {
    const alone = this.players.length === 1;
    this.pickers.length = Math.min(this.pickers.length, wanted);
    while (this.pickers.length < wanted) {
      const first = this.pickers.length === 0;
      this.pickers.push(
        agentPicker({ value: first ? { agent: "mcts", options: {} } : { agent: "random", options: {} } }),
      );
    }
    this.pickers.forEach((picker, i) => picker.setLabel(wanted === 1 ? "Agent" : `Agent ${i + 1}`));
    replace(
      this.agents,
      this.pickers.map((picker) => picker.element),
    );
    this.moreRow.hidden = !alone || wanted >= MOST_ALONE;
    await Promise.all(this.pickers.map((picker) => picker.setGame(this.spec)));
  }

  async addAgent() {
    await this.setSeats(this.pickers.length + 1);
  }
}
