// One training run as the page shows it: speed, rates, the learning curve as it grows, and what can be done with it.

import { LiveCard } from "../cards/live_card.js";
import { post } from "../common/api.js";
import { confirmQuestion, go, h, icon, openDialog, replace, toast, when } from "../common/dom.js";
import { LearningCurve } from "../common/learning_curve.js";
import { bytes, count, duration, evaluatorWords, rate, rough, score } from "../common/words.js";
import { plainName } from "../forms/form.js";

const MOVING = ["compiling", "running", "stopping"];
const PAUSABLE = ["queued", "compiling", "running"];

/** @extends {LiveCard<Api.Run>} */
export class RunCard extends LiveCard {
  /**
   * @param {Api.Run} run
   * @param {CardPlace} place
   */
  constructor(run, { open, onremove }) {
    super(run, run.name, { open: open || MOVING.includes(run.state), onremove });
    this.figures = h("dl", { class: "figures" });
    this.plot = h("div", { class: "plot" });
    this.waiting = h("p", { class: "empty plot-waiting" });
    this.curve = new LearningCurve(this.plot);
    replace(this.body, this.figures, this.waiting, this.plot);
  }

  share() {
    return this.item.of ? this.item.episodes / this.item.of : 0;
  }

  summary() {
    const run = this.item;
    return [run.title, strength(run), this.isOver ? when(run.created) : timeLeft(run)];
  }

  fill() {
    this.fillFigures();
    this.opened();
  }

  fillFigures() {
    const run = this.item;
    const moving = MOVING.includes(run.state);
    const begun = run.episodes > 0;
    /** @type {([string, string] | null)[]} */
    const pairs = [
      ["Episodes", `${count(run.episodes)} of ${count(run.of)}`],
      moving ? ["Time left", duration(run.seconds_left)] : begun ? ["CPU time", duration(run.seconds)] : null,
      moving ? ["Episodes per second", rough(run.episodes_per_second)] : null,
      moving ? ["Moves per second", rough(run.moves_per_second)] : null,
      ...Object.entries(begun ? (run.rates ?? {}) : {}).map(
        ([name, value]) => /** @type {[string, string]} */ ([plainName(name), rate(value)]),
      ),
      ["Agent", run.agent ?? ""],
      ["Evaluator", evaluatorWords(run) || "none"],
      run.second_evaluator
        ? ["Second", evaluatorWords({ evaluator: run.second_evaluator, against: run.second_against ?? "" })]
        : null,
      ["Preset", run.preset || "none"],
      ["Seed", String(run.seed)],
      run.bytes ? ["Memory", bytes(run.bytes)] : null,
    ];
    replace(
      this.figures,
      pairs.map((pair) => pair && h("div", {}, h("dt", {}, pair[0]), h("dd", {}, pair[1]))),
    );
  }

  /** The curve is drawn only where it can be seen. */
  opened() {
    const { curve, of } = this.item;
    const empty = curve.length === 0;
    this.waiting.hidden = !empty;
    this.plot.hidden = empty;
    this.waiting.textContent = this.waitingWords();
    if (this.element.open) this.curve.update(curve, of);
  }

  waitingWords() {
    const { state, evaluator } = this.item;
    if (!evaluator) return "This run is not evaluated, so it has no curve.";
    if (state === "queued") return "Queued behind other runs.";
    if (state === "compiling") return "Compiling the game; this happens only once.";
    return this.isOver ? "It was never evaluated." : "The curve starts with the first evaluation.";
  }

  actionsKey() {
    return this.item.file ?? "";
  }

  buttons() {
    const { state, file, game } = this.item;
    const pausable = PAUSABLE.includes(state);
    const resumable = state === "paused" || state === "failed";
    return [
      pausable && this.button("Pause", "", "pause", () => this.ask("pause")),
      resumable && this.button("Resume", "primary", "play", () => this.ask("resume")),
      (pausable || state === "paused") && this.button("Stop", "", "stop", () => this.stop()),
      MOVING.includes(state) &&
        this.item.episodes > 0 &&
        this.button("Play against it now", "", "play", () => this.play()),
      this.isOver && file ? agentLinks(game, file) : null,
      this.button("Repeat with more seeds", "ghost", "plus", () => this.repeat()),
      h("a", { class: "button ghost", href: `#/compare?run=${this.item.id}` }, icon("train"), "Compare"),
      this.isOver && this.button("Remove", "ghost", "trash", () => this.askRemoval()),
    ];
  }

  /** @param {"pause" | "resume" | "stop"} what */
  ask(what) {
    return this.showAnswer(post(`/api/runs/${this.item.id}/${what}`));
  }

  /** Play against what it has learned so far; it gets better while the game goes on. */
  async play() {
    const { id, game, title } = this.item;
    const opened = await post("/api/games/open", { game });
    const seats = opened.players.map((_, seat) => (seat === 0 ? { person: "You" } : { file: id }));
    const started = await post("/api/tables", { game, seats });
    toast(`You play ${title} against a run that is still learning.`);
    go(`#/play/${started.id}`);
  }

  repeat() {
    const seeds = h("input", { type: "number", id: "seeds", min: 1, max: 50, value: 4 });
    openDialog(`Repeat ${this.item.name}`, (close) => {
      const problem = h("p", { class: "notice error", role: "alert", hidden: true });
      const start = async (event) => {
        event.preventDefault();
        try {
          const made = await post(`/api/runs/${this.item.id}/repeat`, { seeds: Number(seeds.value) });
          close();
          const all = [this.item, ...made].map((run) => ["run", run.id]);
          go(`#/compare?${new URLSearchParams(all)}`);
        } catch (error) {
          problem.textContent = error.message;
          problem.hidden = false;
        }
      };
      return h(
        "form",
        { class: "stack", onsubmit: start },
        h("p", { class: "muted" }, "The same training with other random numbers shows how far the result is chance."),
        h("div", { class: "field" }, h("label", { for: "seeds" }, "More seeds"), seeds),
        problem,
        h("div", { class: "row end" }, h("button", { class: "button primary" }, "Queue them")),
      );
    });
  }

  async stop() {
    const sure = await confirmQuestion({
      title: `Stop ${this.item.name}?`,
      text: "The agent is saved as it is now, but this run cannot be resumed. To continue it later, pause it instead.",
      action: "Stop",
      danger: true,
    });
    if (sure) await this.ask("stop");
  }

  askRemoval() {
    const { id, name, file } = this.item;
    return this.remove(`/api/runs/${id}`, {
      title: `Remove ${name} from the list?`,
      text: file
        ? "Its learning curve is removed from this page; the agent itself is kept."
        : "Its learning curve is lost.",
      action: "Remove",
    });
  }

  close() {
    this.curve.close();
    super.close();
  }
}

/**
 * What can be done with the agent of a run.
 *
 * @param {string} game
 * @param {string} file
 */
function agentLinks(game, file) {
  const link = (text, look, view, values, name) =>
    h("a", { class: `button ${look}`, href: `#/${view}?${new URLSearchParams(values)}` }, icon(name), text);
  return [
    link("Play against it", "primary", "play", { game, file }, "play"),
    link("Inspect", "", "inspect", { file }, "inspect"),
    link("Continue training", "", "train", { resume: file }, "train"),
  ];
}

/** @param {Api.Run} run */
function strength(run) {
  const last = run.curve.at(-1);
  return last ? `score ${score(last.score)} (${score(last.low)} to ${score(last.high)})` : "";
}

/** @param {Api.Run} run */
function timeLeft(run) {
  return run.state === "running" && run.seconds_left != null ? `${duration(run.seconds_left)} left` : "";
}
