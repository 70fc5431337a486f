// Compete: a match of agents over many games in all roles, watched while it runs, with the result and its interval, and
// every single game to look at.

import { get, listen } from "../common/api.js";
import { h, replace } from "../common/dom.js";
import { MatchCard } from "./match_card.js";
import { NewMatch } from "./new_match.js";

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
