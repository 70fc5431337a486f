// The games of a tournament, all or those of one or two agents; each leads to its replay.

import { get } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { go, h, icon, keepAddress, replace } from "../common/dom.js";
import { count, plural, result } from "../common/words.js";

const PAGE = 25;
/** @type {Columns} */
const COLUMNS = { Game: "text", Players: "text", Result: "num", Plies: "num" };

export class GameList {
  /**
   * @param {Api.Tournament} tournament
   * @param {URLSearchParams} query
   */
  constructor(tournament, query) {
    this.tournament = tournament;
    this.offset = Math.max(0, Math.floor(Number(query.get("from")) || 0));
    this.asked = 0;
    this.one = this.filter("One of the agents", query.get("one"));
    this.other = this.filter("The other agent", query.get("other"));
    this.total = h("span", { class: "muted" });
    this.list = h("div");
    this.earlier = this.turner("Earlier", "previous", -PAGE);
    this.later = this.turner("Later", "next", PAGE);
    this.pages = h("div", { class: "row" }, this.earlier, this.later);
    this.element = h(
      "section",
      { class: "card stack tournament-games", "aria-labelledby": "tournament-games" },
      h(
        "div",
        { class: "row apart" },
        h("h2", { id: "tournament-games" }, "Games"),
        h("div", { class: "row" }, this.total, this.one, this.other),
      ),
      this.list,
      this.pages,
    );
  }

  /**
   * @param {string} label
   * @param {string | null} chosen
   */
  filter(label, chosen) {
    const { entrants } = this.tournament;
    return h(
      "select",
      { "aria-label": label, onchange: () => this.show(0) },
      h("option", { value: "" }, "Any agent"),
      entrants.map((name, number) => h("option", { value: number, selected: String(number) === chosen }, name)),
    );
  }

  turner(text, name, step) {
    const turn = () => this.show(Math.max(0, this.offset + step));
    return h("button", { class: "button", type: "button", onclick: turn }, icon(name), text);
  }

  /**
   * The games of these two.
   *
   * @param {number} one
   * @param {number} other
   */
  choose(one, other) {
    this.one.value = String(one);
    this.other.value = String(other);
    this.element.scrollIntoView({ block: "start" });
    return this.show(0);
  }

  /** @param {number} offset */
  show(offset) {
    this.offset = offset;
    const { one, other } = this.chosen();
    keepAddress(`tournaments/${this.tournament.id}`, { one, other, from: offset || null });
    return this.load();
  }

  chosen() {
    const number = (select) => (select.value === "" ? null : Number(select.value));
    return { one: number(this.one), other: number(this.other) };
  }

  async load() {
    const turn = ++this.asked;
    const wanted = { ...this.chosen(), limit: PAGE, offset: this.offset };
    const { total, games } = await get(`/api/tournaments/${this.tournament.id}/games`, wanted);
    if (turn !== this.asked) return;
    const end = this.offset + games.length;
    this.total.textContent =
      total > PAGE ? `${count(this.offset + 1)} to ${count(end)} of ${plural(total, "game")}` : plural(total, "game");
    this.pages.hidden = total <= PAGE;
    this.earlier.disabled = this.offset === 0;
    this.later.disabled = end >= total;
    const rows = games.map((game, i) => this.row(game, this.offset + i + 1));
    replace(
      this.list,
      rows.length
        ? h("div", { class: "table-wrap" }, dataTable("narrow-flow row-links", COLUMNS, rows))
        : h("p", { class: "empty" }, "No such games yet."),
    );
  }

  /**
   * @param {Api.TournamentGame} game
   * @param {number} number
   */
  row(game, number) {
    const { entrants, players } = this.tournament;
    const href = `#/games/${game.id}`;
    const who = game.seats.map((entrant, seat) =>
      players.length > 1 ? `${players[seat]}: ${entrants[entrant]}` : entrants[entrant],
    );
    const cell = (label, content) => h("td", { class: "num", dataset: { label } }, content);
    return h(
      "tr",
      { dataset: { game: game.id }, onclick: (event) => event.target.closest("a") || go(href) },
      h(
        "td",
        { class: "cell-title" },
        h("a", { href, "aria-label": `Replay game ${number}` }, `Game ${count(number)}`),
      ),
      h(
        "td",
        { class: "cell-line" },
        who.join(" \u2013 "),
        game.forfeit ? h("div", { class: "muted" }, `lost by default: ${game.forfeit}`) : null,
        game.adjudicated ? h("div", { class: "muted" }, "adjudicated by the solver") : null,
      ),
      cell("Result", result(game.scores)),
      cell("Plies", count(game.plies)),
    );
  }
}
