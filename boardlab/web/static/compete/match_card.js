// One match as the page shows it: standings with intervals, and its games.

import { LiveCard } from "../cards/live_card.js";
import { get, post } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, replace, toast, when } from "../common/dom.js";
import { count, gameWords, plural, score } from "../common/words.js";

const LISTED_GAMES = 60;
const MILLISECONDS_BETWEEN_LISTS = 2000;

/** @extends {LiveCard<Api.Match>} */
export class MatchCard extends LiveCard {
  /**
   * @param {Api.Match} match
   * @param {CardPlace} place
   */
  constructor(match, { open, onremove }) {
    super(match, match.agents.join(" \u2013 "), { open, onremove });
    if (!this.isOver) this.element.open = true;
    this.listed = 0;
    this.asked = -Infinity;
    this.standings = h("div");
    this.games = h("div");
    replace(this.body, this.standings, this.games);
  }

  share() {
    return this.item.games ? this.item.done / this.item.games : 0;
  }

  summary() {
    const { title, game, done, games, seed, created } = this.item;
    const length = done < games ? `${count(done)} of ${plural(games, "game")}` : plural(games, "game");
    return [gameWords(title, game), length, `seed ${seed}`, when(created)];
  }

  fill() {
    const waiting = h("p", { class: "empty" }, this.waitingWords());
    replace(this.standings, this.item.done ? standingsTable(this.item) : waiting);
    this.opened();
  }

  waitingWords() {
    const { state } = this.item;
    if (state === "queued") return "Queued behind other matches.";
    if (state === "compiling") return "Compiling the game; this happens only once.";
    return this.isOver ? "No games were played." : "The first game is being played.";
  }

  /** List the games that can be looked at; the server tells them of a single match only, so it is not asked often. */
  async opened() {
    const { id, done } = this.item;
    const due = this.isOver || performance.now() - this.asked > MILLISECONDS_BETWEEN_LISTS;
    if (!this.element.open || done === this.listed || !due) return;
    this.listed = done;
    this.asked = performance.now();
    try {
      const { records } = await get(`/api/matches/${id}`);
      replace(this.games, gameLinks(records));
    } catch (error) {
      toast(error.message, "error");
    }
  }

  buttons() {
    return [
      this.isOver
        ? this.button("Delete", "ghost", "trash", () => this.askRemoval())
        : this.button("Stop", "", "stop", () => this.showAnswer(post(`/api/matches/${this.item.id}/stop`))),
    ];
  }

  askRemoval() {
    return this.remove(`/api/matches/${this.item.id}`, {
      title: "Delete this match?",
      text: "Its standings and its games are deleted.",
    });
  }
}

/** @param {string[]} records the ids of the games */
function gameLinks(records) {
  const shown = records.slice(0, LISTED_GAMES);
  if (!shown.length) return null;
  const link = (record, i) =>
    h("a", { class: "game-link", href: `#/games/${record}`, "aria-label": `Game ${i + 1}` }, i + 1);
  return [
    h("h3", {}, "Games"),
    h("div", { class: "game-links" }, shown.map(link)),
    records.length > shown.length
      ? h("p", { class: "muted" }, "All the others are listed under ", h("a", { href: "#/games" }, "Games"), ".")
      : null,
  ];
}

/** @param {Api.Match} match */
function standingsTable(match) {
  const alone = match.standings.every((standing) => standing.success == null);
  const lows = match.standings.map((standing) => standing.low ?? 0);
  const highs = match.standings.map((standing) => standing.high ?? 0);
  const scale = { low: Math.min(...lows), high: Math.max(...highs) };
  const number = (label, ...content) => h("td", { class: "num", dataset: { label } }, h("div", {}, content));
  /** @type {Columns} */
  const columns = { Agent: "text", "Mean score": "num" };
  if (!alone) Object.assign(columns, { "Won, drawn, lost": "num", Success: "num" });
  const row = (/** @type {Api.StandingLine} */ standing) =>
    h(
      "tr",
      {},
      h("td", { class: "cell-title" }, h("strong", {}, standing.name), roles(standing, match.players)),
      number("Mean score", score(standing.mean), interval(standing, scale)),
      alone
        ? null
        : [
            number("Won, drawn, lost", [standing.won, standing.drawn, standing.lost].map(count).join(" \u00b7 ")),
            number("Success", standing.success == null ? "\u2013" : `${(100 * standing.success).toFixed(1)} %`),
          ],
    );
  return h("div", { class: "table-wrap" }, dataTable("narrow-flow standings", columns, match.standings.map(row)));
}

/**
 * The mean score on each seat, where there is more than one.
 *
 * @param {Api.StandingLine} standing
 * @param {string[]} players
 */
function roles(standing, players) {
  if (players.length < 2) return null;
  const known = standing.roles.map((mean, seat) => (mean == null ? null : `as ${players[seat]} ${score(mean)}`));
  return h("div", { class: "muted" }, known.filter(Boolean).join(" \u00b7 "));
}

/**
 * The 95 % interval in figures, and as a bar with the mean in it on the scale of all agents of the match.
 *
 * @param {Api.StandingLine} standing
 * @param {{ low: number, high: number }} scale
 */
function interval({ mean, low, high }, scale) {
  if (mean === null || low === null || high === null) return null;
  const width = scale.high - scale.low || 1;
  const place = (/** @type {number} */ value) => `${(100 * (value - scale.low)) / width}%`;
  return [
    h("span", { class: "muted", title: "95 % interval" }, ` (${score(low)} to ${score(high)})`),
    h(
      "div",
      { class: "interval", "aria-hidden": "true" },
      h("i", { style: { left: place(low), right: `${100 - (100 * (high - scale.low)) / width}%` } }),
      h("b", { style: { left: place(mean) } }),
    ),
  ];
}
