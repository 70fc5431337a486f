// Compete: a match of agents over many games in all roles, watched while it runs, with the result and its interval, and
// every single game to look at.

import { CardList, showCardPage } from "../cards/card_list.js";
import { get, listen } from "../common/api.js";
import { h, icon } from "../common/dom.js";
import { MatchCard } from "./match_card.js";
import { NewMatch } from "./new_match.js";

/**
 * The view `#/compete`, `#/compete/MATCH`; `?game=SPEC` chooses a game.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  const [games, { limits }, matches] = await Promise.all([get("/api/games"), get("/api/about"), get("/api/matches")]);
  /** @type {CardList<Api.Match>} */
  const list = new CardList({
    label: "Matches",
    empty: "No matches yet. Choose some agents and start one.",
    wanted: path[0],
    make: (match, place) => new MatchCard(match, place),
  });
  const form = new NewMatch(games, limits, (match) => list.show(match, true));
  showCardPage(root, {
    title: "Compete",
    heading: "New match",
    form: form.element,
    open: matches.length === 0,
    list: list.element,
    links: [
      h("a", { class: "button", href: "#/tournaments" }, icon("seats"), "Tournaments"),
      h("a", { class: "button", href: "#/league" }, icon("hall"), "League"),
    ],
  });
  list.setAll(matches);
  const stops = [list.follow("match", () => get("/api/matches")), listen("file", () => form.gameChanged())];
  await form.open(query.get("game") ?? matches[0]?.game ?? "tictactoe");
  return () => stops.forEach((stop) => stop());
}
