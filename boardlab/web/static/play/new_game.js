// Setting up a game: its parameters, who takes which seat, and how it starts. Choosing a game opens it on the server,
// which compiles it if need be; the page says so, and the game can begin as soon as that is done.

import { get, post } from "../common/api.js";
import { go, h, icon, recall, remember, replace } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { playerChip } from "../common/players.js";
import { agentPicker } from "../forms/agent_picker.js";
import { buildForm, FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";
import { compilingBar } from "./compiling.js";
import { rememberLiveGame } from "./last_game.js";

const POLL = 300; // milliseconds
/** @type {Api.SeatChoice} */
const USUAL_OPPONENT = { level: "medium" };

/** @type {Field[]} */
const SETTINGS = [
  {
    ...{ name: "clock", kind: "number", default: null, nullable: true, low: 0.1, high: 600 },
    doc: "minutes for each person; if empty, no clock",
  },
  { name: "increment", kind: "number", default: 0, low: 0, high: 600, doc: "seconds that each move adds" },
  {
    ...{ name: "seed", kind: "integer", default: null, nullable: true, low: 0, high: 999999999999 },
    doc: "the same seed gives the same chance events and random moves",
  },
];

/**
 * The set-up `#/play?game=SPEC`; with `file=FILE` against this agent.
 *
 * @param {HTMLElement} root
 * @param {Api.GameInfo[]} games
 * @param {URLSearchParams} query
 */
export async function showNewGame(root, games, query) {
  const view = new NewGame(root, games, query);
  await view.open();
  return () => view.leave();
}

class NewGame {
  /**
   * @param {HTMLElement} root
   * @param {Api.GameInfo[]} games
   * @param {URLSearchParams} query
   */
  constructor(root, games, query) {
    this.left = false;
    this.turn = 0;
    this.timer = 0;
    this.file = query.get("file");
    /** @type {import("../forms/agent_picker.js").AgentPicker[]} */
    this.seats = [];
    /** @type {Api.OpenGame | null} */
    this.game = null;
    this.picker = gamePicker(games, { spec: query.get("game"), onchange: () => this.changed() });
    this.title = h("h1", {}, "New game");
    this.preview = h("div", { class: "setup-picture" });
    this.rules = h("p", { class: "muted setup-rules" });
    this.seatList = h("div", { class: "stack seats-setup" });
    this.state = h("div", { class: "setup-state", role: "status", "aria-live": "polite" });
    this.problem = h("p", { class: "notice error", role: "alert", hidden: true });
    this.settings = buildForm(SETTINGS, { groups: [{ names: SETTINGS.map(({ name }) => name), open: true }] });
    this.start = h("button", { class: "button primary large", type: "submit", disabled: true }, icon("play"), "Start");
    replace(root, this.layOut());
  }

  layOut() {
    const submit = (event) => {
      event.preventDefault();
      this.begin();
    };
    return h(
      "form",
      { class: "page setup", onsubmit: submit, novalidate: true },
      h(
        "div",
        { class: "page-head" },
        this.title,
        h("a", { class: "button ghost", href: "#/play" }, icon("back"), "All games"),
      ),
      h(
        "div",
        { class: "setup-columns" },
        h("section", { class: "card setup-game" }, this.preview, this.picker.element, this.rules),
        h(
          "section",
          { class: "card stack setup-seats" },
          h("h2", {}, "Players"),
          this.seatList,
          h("details", { class: "fold" }, h("summary", {}, h("span", {}, "Clock and seed")), this.settings.element),
          this.problem,
        ),
        h("div", { class: "setup-foot" }, this.state, this.start),
      ),
    );
  }

  leave() {
    this.left = true;
  }

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), 200); // a stepper is clicked several times
  }

  /** Open the chosen game and show who can play it. */
  async open() {
    const turn = ++this.turn;
    const current = () => turn === this.turn && !this.left;
    this.start.disabled = true;
    this.showProblem("");
    try {
      const spec = this.picker.spec();
      const game = await post("/api/games/open", { game: spec });
      if (!current()) return;
      this.showGame(game);
      await this.offerSeats(game, current);
      if (current()) await this.waitUntilReady(game, current);
    } catch (error) {
      if (current()) this.refuse(error);
    }
  }

  /** @param {Api.OpenGame} game */
  showGame(game) {
    const same = this.game?.game === game.game;
    this.game = game;
    if (!same) replace(this.preview, picture(game.start_svg));
    this.title.textContent = game.title;
    this.rules.textContent = game.rules;
    history.replaceState(null, "", `#/play?game=${encodeURIComponent(game.game)}`);
    this.showState(game);
  }

  /**
   * @param {Api.OpenGame} game
   * @param {() => boolean} current
   */
  async offerSeats(game, current) {
    /** @type {(Api.SeatChoice | null)[]} */
    const kept = this.seats.length ? this.seats.map(readQuietly) : this.file ? [] : (recall(seatsOf(game)) ?? []);
    this.seats = game.players.map((name, i) =>
      agentPicker({ label: [playerChip(name, i), name], people: true, value: kept[i] ?? this.usualSeat(game, i) }),
    );
    await Promise.all(this.seats.map((seat) => seat.setGame(game.game)));
    if (!current()) return;
    replace(
      this.seatList,
      this.seats.map((seat) => h("div", { class: "seat-setup" }, seat.element)),
    );
  }

  /**
   * @param {Api.OpenGame} game
   * @param {number} i
   * @returns {Api.SeatChoice}
   */
  usualSeat(game, i) {
    if (i === 0 && !(this.file && game.players.length === 1)) return { person: null };
    return this.file ? { file: this.file } : USUAL_OPPONENT;
  }

  /**
   * @param {Api.OpenGame} game
   * @param {() => boolean} current
   */
  async waitUntilReady(game, current) {
    while (game.state === "compiling") {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      if (!current()) return;
      game = await get("/api/games/open", { game: game.game });
      if (!current()) return;
      this.showState(game);
    }
    this.start.disabled = game.state !== "ready";
  }

  /** @param {Api.OpenGame} game */
  showState(game) {
    if (game.state === "compiling") {
      replace(
        this.state,
        h("span", { class: "spinner" }),
        h("span", {}, game.message || "Compiling the game for this machine; this happens only once."),
        game.compiling ? compilingBar(game.compiling) : null,
      );
    } else if (game.state === "failed") {
      replace(this.state);
      this.showProblem(game.message || "The game could not be compiled.");
    } else {
      replace(this.state, icon("check"), h("span", {}, "Ready"));
    }
  }

  async begin() {
    const { game } = this;
    if (this.start.disabled || !game) return;
    try {
      const seats = this.seats.map((seat) => seat.choice() ?? {});
      /** @type {Api.NewLiveGame} */
      const body = { game: game.game, seats };
      Object.assign(body, this.moreWishes());
      this.start.disabled = true;
      const started = await post("/api/tables", body);
      remember(seatsOf(game), seats);
      rememberLiveGame(started);
      go(`#/play/${started.id}`);
    } catch (error) {
      this.start.disabled = false;
      this.refuse(error);
    }
  }

  /** @returns {{ seed?: number, clock?: Api.ClockWish }} */
  moreWishes() {
    const { seed, clock: minutes, increment } = /** @type {{ [name: string]: number }} */ (this.settings.values());
    return {
      ...(seed === undefined ? {} : { seed }),
      ...(minutes === undefined ? {} : { clock: { minutes, increment: increment ?? 0 } }),
    };
  }

  refuse(error) {
    if (error instanceof FormError) return; // the form shows it beside the field
    if (error.name !== "ApiError") throw error;
    const shown =
      this.picker.showError(error.message) ||
      this.settings.showError(error.message) ||
      this.seats.some((seat) => seat.showError(error.message));
    if (!shown) this.showProblem(error.message);
    replace(this.state);
  }

  showProblem(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }
}

/** @param {import("../forms/agent_picker.js").AgentPicker} seat */
function readQuietly(seat) {
  try {
    return seat.choice();
  } catch {
    return null;
  }
}

/** @param {Api.OpenGame} game */
function seatsOf(game) {
  return `seats.${game.game.split(":")[0]}`;
}
