// Compete: a match of agents over many games in all roles, watched while it runs, with the result and its interval, and
// every single game to look at.

import { get, listen, post } from "./api.js";
import { h, icon, replace } from "./dom.js";
import { buildForm, FormError } from "./form.js";
import { MatchCard } from "./match_card.js";
import { agentPicker, gamePicker } from "./pickers.js";

const MOST_ALONE = 8;

/** The view `#/compete`, `#/compete/MATCH`. */
export async function show(root, path, query) {
  const [games, { limits }, matches] = await Promise.all([get("/api/games"), get("/api/about"), get("/api/matches")]);
  const cards = new Map();
  const list = h("div", { class: "stack" });
  const nothing = h("p", { class: "empty" }, "No matches yet. Choose two agents and let them play.");

  function draw(match, asked = false) {
    let card = cards.get(match.id);
    if (!card) {
      card = new MatchCard(match, { open: asked || match.id === path[0], onremove: () => forget(match.id) });
      cards.set(match.id, card);
      list.prepend(card.element);
      if (asked) card.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
    card.update(match);
    nothing.hidden = true;
  }

  function forget(id) {
    cards.get(id)?.element.remove();
    cards.delete(id);
    nothing.hidden = cards.size > 0;
  }

  function drawAll(all) {
    const present = new Set(all.map((match) => match.id));
    for (const id of [...cards.keys()]) if (!present.has(id)) forget(id);
    for (const match of [...all].sort((a, b) => a.created.localeCompare(b.created))) draw(match);
    const items = [...list.children];
    if (items.length && !items.some((card) => card.open)) items[0].open = true;
  }

  const form = new NewMatch(games, limits, (match) => draw(match, true));
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Compete")),
      h(
        "div",
        { class: "split" },
        h(
          "details",
          { class: "card new-item", open: matches.length === 0 || matchMedia("(min-width: 900px)").matches },
          h("summary", {}, h("h2", {}, "New match")),
          form.element,
        ),
        h("section", { class: "stack", "aria-label": "Matches" }, nothing, list),
      ),
    ),
  );
  drawAll(matches);
  const stops = [
    listen("match", (match) => (match.deleted ? forget(match.id) : draw(match))),
    listen("open", async () => drawAll(await get("/api/matches"))),
    listen("file", () => form.gameChanged()),
  ];
  await form.open(query.get("game") ?? matches[0]?.game ?? "tictactoe");
  return () => stops.forEach((stop) => stop());
}

/** The form for a match: a game and as many agents as it has players; alone, any number of them compares. */
class NewMatch {
  constructor(games, limits, onstart) {
    this.onstart = onstart;
    this.asked = 0;
    this.pickers = [];
    this.picker = gamePicker(games, { onchange: () => this.gameChanged() });
    this.agents = h("div", { class: "stack" });
    this.more = h(
      "button",
      { class: "button small", type: "button", onclick: () => this.addAgent() },
      icon("plus"),
      "Another agent",
    );
    this.settings = buildForm(
      [
        {
          name: "games",
          kind: "integer",
          default: 20,
          low: 1,
          high: limits.match_games,
          doc: "the agents take turns in all roles",
        },
        {
          name: "seed",
          kind: "integer",
          default: null,
          nullable: true,
          low: 0,
          high: 999999999999,
          doc: "none: a new one",
        },
      ],
      {},
    );
    this.problem = h("p", { class: "notice error", role: "alert", hidden: true });
    this.button = h("button", { class: "button primary", type: "submit" }, icon("compete"), "Start the match");
    this.element = h(
      "form",
      { class: "stack", novalidate: true, onsubmit: (event) => (event.preventDefault(), this.start()) },
      this.picker.element,
      this.agents,
      h("div", { class: "row" }, this.more),
      this.settings.element,
      this.problem,
      h("div", { class: "row" }, this.button),
    );
  }

  async open(spec) {
    this.picker.set(spec);
    await this.gameChanged();
  }

  async gameChanged() {
    const turn = ++this.asked;
    this.say("");
    try {
      const spec = this.picker.spec();
      const { players } = await post("/api/games/open", { game: spec });
      if (turn !== this.asked) return;
      this.spec = spec;
      this.players = players;
      await this.setSeats(players.length === 1 ? Math.max(1, this.pickers.length) : players.length);
    } catch (error) {
      if (turn === this.asked) this.refuse(error);
    }
  }

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
    this.more.parentElement.hidden = !alone || wanted >= MOST_ALONE;
    await Promise.all(this.pickers.map((picker) => picker.setGame(this.spec)));
  }

  async addAgent() {
    await this.setSeats(this.pickers.length + 1);
  }

  async start() {
    this.say("");
    this.button.disabled = true;
    try {
      const agents = this.pickers.map((picker) => picker.choice());
      const settings = { games: 20, ...this.settings.values() };
      this.onstart(await post("/api/matches", { game: this.picker.spec(), agents, ...settings }));
    } catch (error) {
      this.refuse(error);
    } finally {
      this.button.disabled = false;
    }
  }

  refuse(error) {
    if (error instanceof FormError) return;
    const shown = [this.picker, this.settings, ...this.pickers].some((form) => form.showError(error.message));
    if (!shown) this.say(error.message);
  }

  say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }
}
