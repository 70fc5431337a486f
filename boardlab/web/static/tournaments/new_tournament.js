// The form that starts a tournament.

import { StartForm } from "../cards/start_form.js";
import { get, post } from "../common/api.js";
import { h, icon, replace } from "../common/dom.js";
import { plural } from "../common/words.js";
import { agentPicker } from "../forms/agent_picker.js";
import { buildForm, FormError } from "../forms/form.js";
import { EntrantList } from "./entrant_list.js";

const PATIENCE = 500; // milliseconds after the last change before it is asked how many games it would have
const SEEDS = 999999999999;

/** Fields that matter only with some value of another one. */
const DEPENDENT = {
  rounds: ["format", "swiss"],
  challengers: ["format", "gauntlet"],
  plies: ["starts", "random"],
  positions: ["starts", "random"],
  evaluator: ["starts", "evaluator"],
};

const LABELS = {
  games: "Games of those who meet",
  plies: "Random plies",
  iterations: "Iterations per move",
  time: "Seconds per move",
  cpu_time: "CPU seconds per move",
  move_limit: "Longest move in seconds",
  adjudicate: "Adjudicate after plies",
  anchor_rating: "Rating of the anchor",
};

/** The form for a tournament: a game, who takes part, how they meet, and the rest in a fold. */
export class NewTournament extends StartForm {
  /**
   * @param {Api.GameInfo[]} games
   * @param {Api.AboutArena["limits"]} limits
   * @param {(tournament: Api.Tournament) => void} onstart
   */
  constructor(games, limits, onstart) {
    super(games, "Start tournament", "compete");
    this.limits = limits;
    this.onstart = onstart;
    this.timer = 0;
    this.asking = 0;
    this.settings = buildForm([]);
    this.entrants = new EntrantList(() => this.entrantsChanged());
    this.entrants.entrants = [entrantOf({ agent: "random", options: {} }), entrantOf({ agent: "mcts", options: {} })];
    this.agent = agentPicker({ label: "Agent", value: { agent: "mcts", options: {} }, learning: true });
    this.all = h("button", { class: "button small", type: "button", onclick: () => this.addAll() });
    this.anchor = h("select", { id: "tournament-anchor", onchange: () => this.changed() });
    this.need = h("p", { class: "muted", role: "status", "aria-live": "polite" });
    this.settingsPlace = h("div");
    this.button.before(this.need);
    replace(this.rest, this.entrantFields(), this.settingsPlace);
  }

  entrantFields() {
    const add = { class: "button small", type: "button", onclick: () => this.addAgent() };
    return h(
      "fieldset",
      { class: "stack entrant-fields" },
      h("legend", {}, "Agents"),
      this.entrants.element,
      this.agent.element,
      h("div", { class: "row" }, h("button", add, icon("plus"), "Add agent"), this.all),
    );
  }

  /**
   * @param {string} spec
   * @param {() => boolean} current
   */
  async offer(spec, current) {
    const { game } = await post("/api/games/open", { game: spec });
    const evaluators = get("/api/train/options", { game: spec }).then(
      (options) => options.evaluators,
      () => [], // nobody can learn this game
    );
    await this.agent.setGame(game);
    const offered = await evaluators;
    if (!current()) return;
    const { agents, files, levels, runs } = this.agent;
    this.entrants.keep(
      ({ agent, file, level }) =>
        (!agent || agents.some((known) => known.agent === agent && known.usable)) &&
        (!file || [...files, ...runs].some((known) => known.id === file)) &&
        (!level || levels.some((known) => known.level === level)),
    );
    this.all.hidden = files.length < 2;
    replace(this.all, icon("plus"), `Add all ${files.length} trained agents`);
    this.showSettings(offered);
  }

  /** @param {string[]} evaluators */
  showSettings(evaluators) {
    const before = this.settings.rows.size ? this.quietly() : null;
    this.settings = buildForm(this.fields(evaluators), {
      groups: [{ names: ["format", "games", "rounds", "challengers", "starts", "plies", "evaluator"], open: true }],
      folded: "Time, ratings and seed",
      labels: LABELS,
      values: before ?? {},
      onchange: () => this.changed(),
    });
    const anchor = h(
      "div",
      { class: "field" },
      h("div", { class: "field-head" }, h("label", { for: "tournament-anchor" }, "Anchor")),
      this.anchor,
      h("p", { class: "doc" }, "the agent whose rating is given; without one the mean of all is 0"),
    );
    this.settings.rows.get("anchor_rating")?.element.before(anchor);
    replace(this.settingsPlace, this.settings.element);
    this.changed();
  }

  /**
   * @param {string[]} evaluators
   * @returns {Field[]}
   */
  fields(evaluators) {
    /** @type {(name: string, kind: Field["kind"], doc: string, more: Partial<Field>) => Field} */
    const field = (name, kind, doc, more) => ({ name, kind, doc, default: null, ...more });
    const none = { nullable: true };
    return [
      field("format", "choice", "gauntlet: the first against all others; Swiss: those with equal points meet", {
        default: "round-robin",
        choices: ["round-robin", "gauntlet", "swiss", "knockout"],
      }),
      field("games", "integer", "in whole sets: a start in all seat orders", {
        default: 10,
        low: 1,
        high: this.limits.tournament_games,
      }),
      field("rounds", "integer", "if empty, as many as are needed", { ...none, low: 1, high: 1000 }),
      field("challengers", "integer", "so many of the first agents play the gauntlet", {
        default: 1,
        low: 1,
        high: 1000,
      }),
      field("starts", "choice", "where games begin: after random plies, or at the positions of an evaluator", {
        default: "start",
        choices: evaluators.length ? ["start", "random", "evaluator"] : ["start", "random"],
      }),
      field("plies", "integer", "so many random plies before each game", { default: 4, low: 0, high: 1000 }),
      field("evaluator", "choice", "its positions are the starts", {
        default: evaluators[0] ?? null,
        choices: evaluators,
        nullable: !evaluators.length,
      }),
      field("positions", "integer", "so many different starts", { default: 100, low: 1, high: 10000 }),
      field("iterations", "integer", "for agents that have iterations and do not say", { ...none, low: 1 }),
      field("time", "number", "the same by the clock", { ...none, low: 0.001 }),
      field("cpu_time", "number", "the same in CPU time, which is fairer on a busy machine", { ...none, low: 0.001 }),
      field("move_limit", "number", "after that a move is a lost game", {
        default: this.limits.seconds_per_move,
        low: 0.001,
        high: this.limits.seconds_per_move,
      }),
      field("adjudicate", "integer", "the solver then ends games that it knows; if empty, they are played out", {
        ...none,
        low: 0,
        high: 1000000,
      }),
      field("seed", "integer", "if empty, a random one", { ...none, low: 0, high: SEEDS }),
      field("prior", "number", "games that the prior of the ratings is worth", { default: 1, low: 0.001, high: 1000 }),
      field("anchor_rating", "number", "where there is an anchor", { default: 1500, low: -100000, high: 100000 }),
    ];
  }

  // ------------------------------------------------------------ entrants

  addAgent() {
    try {
      const choice = /** @type {Api.AgentChoice | null} */ (this.agent.choice());
      if (choice) this.entrants.add([entrantOf(choice, this.agent)]);
    } catch (error) {
      if (!(error instanceof FormError)) throw error; // the form shows it already
    }
  }

  addAll() {
    const taking = new Set(this.entrants.choices().map(({ agent, file }) => (agent ? null : file)));
    const files = this.agent.files.filter((file) => !taking.has(file.id));
    this.entrants.add(files.map((file) => ({ choice: { file: file.id }, label: file.name })));
  }

  entrantsChanged() {
    const chosen = this.anchor.value;
    replace(
      this.anchor,
      h("option", { value: "" }, "none"),
      this.entrants.entrants.map(({ label }, i) => h("option", { value: i, selected: String(i) === chosen }, label)),
    );
    this.changed();
  }

  // ------------------------------------------------------------ what is asked for

  forms() {
    return [this.entrants, this.picker, this.settings];
  }

  async start() {
    clearTimeout(this.timer);
    this.asking++;
    this.entrants.say("");
    this.entrants.draw();
    this.onstart(await post("/api/tournaments", this.request(this.settings.values())));
  }

  /**
   * @param {import("../forms/form.js").Values} given
   * @returns {Api.TournamentRequest}
   */
  request(given) {
    const settings = { ...given };
    for (const [name, [on, value]] of Object.entries(DEPENDENT)) {
      if (this.valueOf(on) !== value) delete settings[name];
    }
    if (settings.starts === "evaluator") settings.evaluator = this.valueOf("evaluator");
    if (this.anchor.value === "") delete settings.anchor_rating;
    else settings.anchor = Number(this.anchor.value);
    const entrants = this.entrants.choices();
    return /** @type {Api.TournamentRequest} */ ({ game: this.picker.spec(), entrants, ...settings });
  }

  /** @param {string} name */
  valueOf(name) {
    return this.settings.rows.get(name)?.read() ?? null;
  }

  /** What differs from the defaults, without a word about what cannot be read. */
  quietly() {
    /** @type {import("../forms/form.js").Values} */
    const given = {};
    for (const [name, row] of this.settings.rows) {
      try {
        const value = row.read();
        if (value !== row.base) given[name] = value;
      } catch {
        return null;
      }
    }
    return given;
  }

  /** Something is different: show the fields that matter now, and soon how many games there would be. */
  changed() {
    for (const [name, [on, value]] of Object.entries(DEPENDENT)) {
      const row = this.settings.rows.get(name);
      if (row) row.element.hidden = this.valueOf(on) !== value;
    }
    const rating = this.settings.rows.get("anchor_rating");
    if (rating) rating.element.hidden = this.anchor.value === "";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.estimate(), PATIENCE);
  }

  /** Tell how many games there would be. What is wrong is told when it is started. */
  async estimate() {
    const given = this.quietly();
    if (!this.element.isConnected || !given) return;
    const turn = ++this.asking;
    let words = "";
    try {
      const { games, at_least: least, starts } = await post("/api/tournaments/estimate", this.request(given));
      const positions = this.valueOf("starts") === "start" ? "" : ` from ${plural(starts, "position")}`;
      words = `${least ? "At least " : ""}${plural(games, "game")}${positions}.`;
    } catch (error) {
      words = error.status === 422 ? error.message.replace(/^\w+(\.\d+)?: /, "") : "";
    }
    if (turn === this.asking) this.need.textContent = words;
  }
}

/**
 * An agent as the list shows it.
 *
 * @param {Api.AgentChoice} choice
 * @param {import("../forms/agent_picker.js").AgentPicker} [picker] who knows the names of files
 */
function entrantOf(choice, picker) {
  const { agent, options = {}, file } = choice;
  if (!agent) return { choice, label: picker?.describe() ?? "" };
  const parts = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const name = parts.length ? `${agent}:${parts.join(",")}` : agent;
  const base = file ? picker?.files.find((known) => known.id === file)?.name : "";
  return { choice, label: base ? `${name} on ${base}` : name };
}
