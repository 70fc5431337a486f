// One tournament on a page of its own: the rating list, who beats whom, strength and time, where the ratings do not hold,
// all games to replay, and files to take away.

import { LiveCard } from "../cards/live_card.js";
import { get, listen } from "../common/api.js";
import { go, h, icon, replace, when } from "../common/dom.js";
import { gameWords, plural } from "../common/words.js";
import { GameList } from "./game_list.js";
import { LiveResult } from "./live_result.js";
import { StrengthChart } from "./strength_chart.js";
import { crosstable, ratingTable, residualTable } from "./tables.js";
import { tournamentButtons } from "./tournament_card.js";
import { FORMATS, gamesWords, startsWords, waitingWords } from "./words.js";

/** What can be taken away, by the name of the file. */
const FILES = {
  "page.html": "Page with pictures",
  "ratings.csv": "Ratings, CSV",
  "crosstable.csv": "Crosstable, CSV",
  "result.json": "Result, JSON",
  "result.txt": "Result, text",
  "games.jsonl": "Games, JSON lines",
  "games.txt": "Games, text",
  "games.sgf": "Games, SGF",
};
const SGF_GAMES = ["hex", "othello"];

/**
 * The view `#/tournaments/ID?one=K&other=K`.
 *
 * @param {HTMLElement} root
 * @param {string} id
 * @param {URLSearchParams} query
 */
export async function showTournament(root, id, query) {
  const tournament = await get(`/api/tournaments/${id}`);
  const page = new TournamentPage(tournament, query);
  replace(root, page.page);
  page.update(tournament);
  await page.games.load();
  if (query.get("one")) page.games.element.scrollIntoView({ block: "start" });
  const stops = [
    listen("tournament", (news) => {
      if (news.id !== id) return;
      if (news.deleted) go("#/tournaments");
      else page.update(news);
    }),
    listen("open", async () => page.update(await get(`/api/tournaments/${id}`))),
  ];
  return () => {
    stops.forEach((stop) => stop());
    page.close();
  };
}

/** @extends {LiveCard<Api.Tournament>} */
class TournamentPage extends LiveCard {
  /**
   * @param {Api.Tournament} tournament
   * @param {URLSearchParams} query
   */
  constructor(tournament, query) {
    super(tournament, "Progress", { open: true, onremove: () => go("#/tournaments") });
    this.games = new GameList(tournament, query);
    this.ratings = h("div");
    this.table = h("div");
    this.plot = h("div", { class: "plot strength-plot", role: "img", "aria-label": "Strength against time per move" });
    this.chart = new StrengthChart(this.plot);
    this.fit = h("div", { class: "stack" });
    this.remarks = h("div", { class: "stack remarks-place" });
    this.result = new LiveResult(tournament.id, (result) => this.showResult(result));
    this.sections = h("div", { class: "stack", hidden: true }, this.resultSections());
    this.waiting = h("p", { class: "empty" });
    this.page = h("div", { class: "page" }, this.head(), this.element, this.waiting, this.sections, this.games.element);
  }

  head() {
    const { title, game, format, starts, seed, created, entrants } = this.item;
    const back = { class: "icon-button", href: "#/tournaments", title: "All tournaments" };
    const words = [plural(entrants.length, "agent"), startsWords(starts), `seed ${seed}`, when(created)];
    return h(
      "div",
      { class: "page-head with-back" },
      h("a", { ...back, "aria-label": "All tournaments" }, icon("back")),
      h("h1", {}, `${gameWords(title, game)}, ${FORMATS[format]}`),
      h("p", { class: "muted" }, words.join(" \u00b7 ")),
    );
  }

  resultSections() {
    const section = (title, ...content) => h("section", { class: "card stack" }, h("h2", {}, title), content);
    return [
      section("Ratings", this.ratings, this.remarks),
      section("Who beats whom", this.table),
      section(
        "Strength and time per move",
        h("p", { class: "muted" }, "The line joins those whom nobody beats in both."),
        this.plot,
      ),
      section("Do the ratings hold?", this.fit),
      section("Downloads", this.downloads()),
    ];
  }

  downloads() {
    const { id, game } = this.item;
    const offered = Object.entries(FILES).filter(
      ([name]) => !name.endsWith(".sgf") || SGF_GAMES.includes(game.split(":")[0]),
    );
    return h(
      "div",
      { class: "row" },
      offered.map(([name, text]) =>
        h("a", { class: "button", href: `/api/tournaments/${id}/files/${name}`, download: "" }, icon("download"), text),
      ),
    );
  }

  share() {
    return this.item.games ? this.item.done / this.item.games : 0;
  }

  summary() {
    return [gamesWords(this.item)];
  }

  buttons() {
    return tournamentButtons(this);
  }

  fill() {
    this.waiting.hidden = this.item.done > 0;
    this.waiting.textContent = waitingWords(this.item, this.isOver);
    this.result.update(this.item);
  }

  /** @param {Api.TournamentResult} result */
  showResult(result) {
    const { entrants, id } = this.item;
    const number = (name) => entrants.indexOf(name);
    this.sections.hidden = false;
    replace(this.ratings, ratingTable(result));
    replace(
      this.table,
      crosstable(
        result,
        (one, other) => `#/tournaments/${id}?one=${number(one)}&other=${number(other)}`,
        (one, other) => this.games.choose(number(one), number(other)),
      ),
    );
    replace(this.fit, residualTable(result));
    replace(
      this.remarks,
      h(
        "ul",
        { class: "remarks" },
        result.remarks.map((remark) => h("li", {}, remark)),
      ),
      result.report.length
        ? [h("h3", {}, "How it went"), h("pre", { class: "report", tabindex: 0 }, result.report.join("\n"))]
        : null,
    );
    this.chart.draw(result);
    this.games.load();
  }

  close() {
    this.result.close();
    this.chart.close();
    super.close();
  }
}
