// Tournaments: any number of agents meet and are rated. Here they are set up and listed; one of them has a page of its
// own, which follows it while it is played.

import { CardList, showCardPage } from "../cards/card_list.js";
import { get, listen } from "../common/api.js";
import { h, icon } from "../common/dom.js";
import { NewTournament } from "./new_tournament.js";
import { TournamentCard } from "./tournament_card.js";
import { showTournament } from "./tournament_page.js";

/**
 * The view `#/tournaments`, and `#/tournaments/ID` for one of them, with `?one=K&other=K` for the games of a pair;
 * `?game=SPEC` chooses a game.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path.length) return showTournament(root, path[0], query);
  const [games, { limits }, tournaments] = await Promise.all([
    get("/api/games"),
    get("/api/about"),
    get("/api/tournaments"),
  ]);
  /** @type {CardList<Api.Tournament>} */
  const list = new CardList({
    label: "Tournaments",
    empty: "No tournaments yet. Choose some agents and start one.",
    wanted: undefined,
    make: (tournament, place) => new TournamentCard(tournament, place),
  });
  const form = new NewTournament(games, limits, (tournament) => list.show(tournament, true));
  showCardPage(root, {
    title: "Tournaments",
    heading: "New tournament",
    form: form.element,
    open: tournaments.length === 0,
    list: list.element,
    links: h("a", { class: "button", href: "#/compete" }, icon("compete"), "Matches"),
  });
  list.setAll(tournaments);
  const stops = [list.follow("tournament", () => get("/api/tournaments")), listen("file", () => form.gameChanged())];
  await form.open(query.get("game") ?? tournaments[0]?.game ?? "tictactoe");
  return () => stops.forEach((stop) => stop());
}
