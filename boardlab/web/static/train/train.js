// Train: start a training run with a preset or custom parameters, and watch all runs learn. Runs live on the server; the
// page shows what it says, so they survive a reload.

import { CardList, showCardPage } from "../cards/card_list.js";
import { get } from "../common/api.js";
import { h, icon } from "../common/dom.js";
import { NewRun } from "./new_run.js";
import { RunCard } from "./run_card.js";

/**
 * The view `#/train`, `#/train/RUN`; `?game=SPEC` chooses a game, `?tuples=TEXT` its n-tuples, `?resume=FILE`
 * continues the training of an agent.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  const resume = query.get("resume");
  const [games, { limits }, runs, resumed] = await Promise.all([
    get("/api/games"),
    get("/api/about"),
    get("/api/runs"),
    resume ? get(`/api/files/${resume}`) : null,
  ]);
  /** @type {CardList<Api.Run>} */
  const list = new CardList({
    label: "Training runs",
    empty: "No training runs yet. Try Tic-tac-toe first: it takes less than a minute.",
    wanted: path[0],
    make: (run, place) => new RunCard(run, place),
  });
  const form = new NewRun(games, limits, resumed, query.get("tuples"), (run) => list.show(run, true));
  showCardPage(root, {
    title: "Train",
    heading: resumed ? `Continue training ${resumed.name}` : "New training run",
    form: form.element,
    open: runs.length === 0 || resumed !== null,
    list: list.element,
    links: [
      h("a", { class: "button", href: "#/compare" }, icon("train"), "Compare"),
      h("a", { class: "button", href: "#/sweeps" }, icon("games"), "Sweeps"),
      h("a", { class: "button", href: "#/tuples" }, icon("heat"), "Edit n-tuples"),
    ],
  });
  form.element.closest("details")?.addEventListener("toggle", () => form.estimateSoon());
  list.setAll(runs);
  const stop = list.follow("run", () => get("/api/runs"));
  await form.open(resumed?.game ?? query.get("game") ?? runs[0]?.game ?? "tictactoe");
  return () => {
    stop();
    form.forgetEstimate();
  };
}
