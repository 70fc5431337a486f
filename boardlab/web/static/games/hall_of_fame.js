// Hall of fame: how people did against each agent, from the games that are kept.

import { get, listen } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, keepAddress, replace } from "../common/dom.js";
import { count, gameWords, result } from "../common/words.js";
import { gameTabs } from "./games.js";

/** @type {Columns} */
const COLUMNS = {
  Person: "text",
  Game: "text",
  Against: "text",
  Games: "num",
  Won: "num",
  Drawn: "num",
  Lost: "num",
  "Best score": "num",
};

/**
 * The view `#/hall`; `?game=SPEC` shows only those of a game.
 *
 * @type {Show}
 */
export async function show(root, _path, query) {
  const list = h("div");
  const filter = h("select", { "aria-label": "Game", onchange: () => choose() });
  /** @type {Api.HallLine[]} */
  let rows = [];
  let wanted = query.get("game") ?? "";

  function choose() {
    keepAddress("hall", { game: filter.value });
    draw();
  }

  function draw() {
    wanted = filter.value;
    const shown = rows.filter((row) => !wanted || row.game === wanted);
    replace(list, shown.length ? table(shown.map(row)) : nothing());
  }

  async function load() {
    rows = await get("/api/hall");
    const games = [...new Map(rows.map((row) => [row.game, row.title]))];
    replace(
      filter,
      h("option", { value: "" }, "All games"),
      games.map(([game, title]) => h("option", { value: game, selected: game === wanted }, gameWords(title, game))),
    );
    filter.hidden = games.length < 2;
    draw();
  }

  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Hall of fame"), h("div", { class: "row" }, filter)),
      gameTabs("hall"),
      list,
    ),
  );
  await load();
  const stops = [listen("record", load), listen("open", load)];
  return () => stops.forEach((stop) => stop());
}

/** @param {HTMLTableRowElement[]} rows */
function table(rows) {
  return h("div", { class: "table-wrap card" }, dataTable("narrow-flow", COLUMNS, rows));
}

/** @param {Api.HallLine} person */
function row({ person, title, game, agent, games, won, drawn, lost, best }) {
  const number = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  return h(
    "tr",
    {},
    h("td", { class: "cell-title" }, h("strong", {}, person)),
    h("td", { class: "cell-line" }, gameWords(title, game)),
    h("td", { class: "cell-line", dataset: { label: "Against" } }, agent ?? "alone"),
    number("Games", count(games)),
    number("Won", agent ? count(won) : "\u2013"),
    number("Drawn", agent ? count(drawn) : "\u2013"),
    number("Lost", agent ? count(lost) : "\u2013"),
    number("Best score", result([best])),
  );
}

function nothing() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "Nobody has finished a game against an agent yet."),
    h("p", {}, h("a", { href: "#/play" }, "Be the first.")),
  );
}
