// How a person's rating went: a chart, and the games with what each of them changed.

import { get } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, icon, openDialog, toast, when } from "../common/dom.js";
import { points } from "./league_tables.js";
import { RatingChart } from "./rating_chart.js";

/** @type {Columns} */
const COLUMNS = { Against: "text", Result: "num", Rating: "num", Played: "num", "": "text" };
const WORDS = { 0: "lost", 0.5: "drawn", 1: "won" };

/**
 * @param {string} game
 * @param {string} person
 */
export async function showPerson(game, person) {
  let history;
  try {
    history = await get("/api/league/person", { game, person });
  } catch (error) {
    toast(error.message, "error");
    return;
  }
  const plot = h("div", { class: "plot" });
  const chart = new RatingChart(plot, "games");
  const ratings = history.games
    .map(({ rating, deviation, created }, k) => ({ number: history.games.length - k, rating, deviation, created }))
    .reverse();
  chart.set([{ name: person, points: ratings }]);
  openDialog(
    person,
    () => h("div", { class: "stack" }, plot, h("div", { class: "table-wrap" }, table(history.games))),
    { wide: true },
  );
  plot.closest("dialog")?.addEventListener("close", () => chart.close());
  await chart.draw();
}

/** @param {Api.LadderGameLine[]} games */
function table(games) {
  return dataTable("narrow-flow", COLUMNS, games.map(row));
}

/** @param {Api.LadderGameLine} game */
function row({ opponents, points: won, rating, deviation, created, record }) {
  const number = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  const met = opponents.map((agent) => `${agent.label} (${points(agent.rating)})`).join(", ");
  return h(
    "tr",
    {},
    h("td", { class: "cell-title" }, met),
    number("Result", WORDS[won]),
    number("Rating", `${points(rating)} \u00b1 ${points(1.96 * deviation)}`),
    number("Played", when(created)),
    h(
      "td",
      { class: "cell-actions" },
      h(
        "a",
        { class: "icon-button", href: `#/games/${record}`, title: "Replay", "aria-label": "Replay this game" },
        icon("play"),
      ),
    ),
  );
}
