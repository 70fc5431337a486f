// League: a lasting table of agents for each game. They play while the machine is idle, and people climb a ladder of
// their own by their games against agents.

import { get, listen } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { go, h, icon, replace } from "../common/dom.js";
import { count, gameWords } from "../common/words.js";
import { FormError } from "../forms/form.js";
import { gamePicker } from "../forms/game_picker.js";
import { showLeague } from "./league_page.js";

/** @type {Columns} */
const COLUMNS = { Game: "text", Agents: "num", Games: "num", People: "num", "Plays when idle": "num" };

/**
 * The view `#/league`, and `#/league/GAME` for the league of one game.
 *
 * @type {Show}
 */
export async function show(root, path) {
  if (path.length) return showLeague(root, path.join("/"));
  const games = await get("/api/games");
  const list = h("div");
  const load = async () => {
    const leagues = await get("/api/league/all");
    replace(list, leagues.length ? table(leagues) : nothing());
  };
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, "League"),
        h("div", { class: "row" }, h("a", { class: "button", href: "#/compete" }, icon("compete"), "Matches")),
      ),
      list,
      opener(games),
    ),
  );
  await load();
  const stops = [listen("league", load), listen("open", load)];
  return () => stops.forEach((stop) => stop());
}

/**
 * The address of the league of a game.
 *
 * @param {string} game
 */
export function leagueAddress(game) {
  return `#/league/${encodeURIComponent(game)}`;
}

/** @param {Api.LeagueLine[]} leagues */
function table(leagues) {
  return h("div", { class: "table-wrap card" }, dataTable("narrow-flow row-links", COLUMNS, leagues.map(row)));
}

/** @param {Api.LeagueLine} league */
function row({ game, title, members, games, people, plays }) {
  const href = leagueAddress(game);
  const number = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  return h(
    "tr",
    { onclick: (event) => event.target.closest("a") || go(href) },
    h("td", { class: "cell-title" }, h("a", { href }, gameWords(title, game))),
    number("Agents", count(members)),
    number("Games", count(games)),
    number("People", count(people)),
    number("Plays when idle", plays ? "yes" : "no"),
  );
}

/** @param {Api.GameInfo[]} games */
function opener(games) {
  const picker = gamePicker(games);
  const open = (event) => {
    event.preventDefault();
    try {
      go(leagueAddress(picker.spec()));
    } catch (error) {
      if (!(error instanceof FormError)) throw error; // shown beside the field
    }
  };
  return h(
    "form",
    { class: "card stack league-opener", novalidate: true, onsubmit: open },
    h("h2", {}, "The league of a game"),
    picker.element,
    h("div", { class: "row" }, h("button", { class: "button primary" }, icon("hall"), "Open the league")),
  );
}

function nothing() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "There is no league yet."),
    h("p", {}, "Open the league of a game below, let some agents enter, and switch it on."),
  );
}
