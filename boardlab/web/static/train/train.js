// Train: start a training run with a preset or own parameters, and watch all runs learn. Runs live on the server; the
// page shows what it says, so they survive a reload.

import { get, listen } from "../common/api.js";
import { h, replace } from "../common/dom.js";
import { NewRun } from "./new_run.js";
import { RunCard } from "./run_card.js";

/** The view `#/train`, `#/train/RUN`; `?game=SPEC` chooses a game, `?resume=FILE` trains an agent further. */
export async function show(root, path, query) {
  const [games, { limits }, runs, resumed] = await Promise.all([
    get("/api/games"),
    get("/api/about"),
    get("/api/runs"),
    query.get("resume") ? get(`/api/files/${query.get("resume")}`) : null,
  ]);
  const list = new RunList(path[0]);
  const form = new NewRun(games, limits, resumed, (run) => list.show(run, true));
  const spec = resumed?.game ?? query.get("game") ?? runs[0]?.game ?? "tictactoe";
  const wide = matchMedia("(min-width: 900px)").matches;
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Train")),
      h(
        "div",
        { class: "split" },
        h(
          "details",
          { class: "card new-item", open: wide || runs.length === 0 || Boolean(resumed) },
          h("summary", {}, h("h2", {}, resumed ? `Train ${resumed.name} further` : "New training run")),
          form.element,
        ),
        list.element,
      ),
    ),
  );
  list.setAll(runs);
  const stops = [
    listen("run", (run) => (run.deleted ? list.remove(run.id) : list.show(run))),
    listen("open", async () => list.setAll(await get("/api/runs"))),
  ];
  await form.open(spec);
  return () => {
    stops.forEach((stop) => stop());
    list.close();
  };
}

/** All runs, newest first. */
class RunList {
  constructor(wanted) {
    this.wanted = wanted;
    this.cards = new Map();
    this.nothing = h("p", { class: "empty" }, "No training runs yet. The first one takes a minute: try Tic-tac-toe.");
    this.list = h("div", { class: "stack" });
    this.element = h("section", { class: "stack", "aria-label": "Training runs" }, this.nothing, this.list);
  }

  setAll(runs) {
    const present = new Set(runs.map((run) => run.id));
    for (const id of this.cards.keys()) if (!present.has(id)) this.remove(id);
    for (const run of [...runs].sort((a, b) => a.created.localeCompare(b.created))) this.show(run);
    const cards = [...this.list.children];
    if (cards.length && !cards.some((card) => card.open)) cards[0].open = true;
  }

  /** Show a run as it stands now; a new one comes on top. */
  show(run, asked = false) {
    let card = this.cards.get(run.id);
    if (!card) {
      card = new RunCard(run, { open: asked || run.id === this.wanted, onremove: () => this.remove(run.id) });
      this.cards.set(run.id, card);
      this.list.prepend(card.element);
      if (asked) card.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
    card.update(run);
    this.nothing.hidden = true;
  }

  remove(id) {
    this.cards.get(id)?.close();
    this.cards.delete(id);
    this.nothing.hidden = this.cards.size > 0;
  }

  close() {
    for (const card of this.cards.values()) card.close();
  }
}
