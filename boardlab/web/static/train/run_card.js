// One training run as the page shows it: state, progress, speed, rates, the learning curve as it grows, and what can
// be done with it.

import { del, post } from "../common/api.js";
import { confirmQuestion, h, icon, replace, toast, when } from "../common/dom.js";
import { LearningCurve } from "../common/learning_curve.js";
import { bytes, count, duration, evaluatorWords, rate, rough, score } from "../common/words.js";

const MOVING = ["compiling", "running", "stopping"];
const PAUSABLE = ["queued", "compiling", "running"];
const OVER = ["finished", "stopped", "failed"];
const LOOKS = { running: "busy", compiling: "busy", stopping: "busy", finished: "good", failed: "bad" };

export class RunCard {
  constructor(run, { open, onremove }) {
    this.run = run;
    this.onremove = onremove;
    this.badge = h("span", { class: "badge" });
    this.headline = h("span", { class: "muted run-headline" });
    this.bar = h("i");
    this.progress = h(
      "div",
      { class: "progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0 },
      this.bar,
    );
    this.figures = h("dl", { class: "figures" });
    this.plot = h("div", { class: "plot" });
    this.waiting = h("p", { class: "empty plot-waiting" });
    this.message = h("p", { class: "notice", hidden: true });
    this.actions = h("div", { class: "row run-actions" });
    this.curve = new LearningCurve(this.plot);
    this.element = h(
      "details",
      {
        class: "card run",
        open: open || MOVING.includes(run.state),
        dataset: { run: run.id },
        ontoggle: () => this.draw(),
      },
      h(
        "summary",
        {},
        h("div", { class: "run-title" }, h("strong", {}, run.name), this.badge),
        this.headline,
        this.progress,
      ),
      this.message,
      this.figures,
      this.waiting,
      this.plot,
      this.actions,
    );
  }

  /** Show the run as the server last told it. */
  update(run) {
    this.run = run;
    const share = run.of ? run.episodes / run.of : 0;
    this.badge.textContent = run.state;
    this.badge.className = `badge ${LOOKS[run.state] ?? ""}`;
    this.element.dataset.state = run.state;
    this.headline.textContent = [run.title, strength(run), OVER.includes(run.state) ? when(run.created) : timeLeft(run)]
      .filter(Boolean)
      .join(" \u00b7 ");
    this.bar.style.width = `${100 * share}%`;
    this.progress.setAttribute("aria-valuenow", Math.round(100 * share));
    this.progress.hidden = run.state === "finished";
    this.message.textContent = run.message ?? "";
    this.message.hidden = !run.message;
    this.message.classList.toggle("error", run.state === "failed");
    this.fillFigures();
    this.fillActions();
    this.draw();
  }

  fillFigures() {
    const run = this.run;
    const moving = MOVING.includes(run.state);
    const begun = run.episodes > 0;
    const pairs = [
      ["Episodes", `${count(run.episodes)} of ${count(run.of)}`],
      moving ? ["Time left", duration(run.seconds_left)] : begun ? ["CPU time", duration(run.seconds)] : null,
      moving ? ["Episodes per second", rough(run.episodes_per_second)] : null,
      moving ? ["Moves per second", rough(run.moves_per_second)] : null,
      begun ? ["Epsilon", rate(run.epsilon)] : null,
      begun ? ["Alpha", rate(run.alpha)] : null,
      ["Evaluator", evaluatorWords(run) || "none"],
      ["Preset", run.preset || "none"],
      ["Seed", String(run.seed ?? "\u2013")],
      run.bytes ? ["Tables", bytes(run.bytes)] : null,
    ].filter(Boolean);
    replace(
      this.figures,
      pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
  }

  /** Buttons are made anew only when the state changes: one that has the focus keeps it. */
  fillActions() {
    const { id, state, file, game } = this.run;
    const key = `${state} ${file}`;
    if (key === this.actionsFor) return;
    this.actionsFor = key;
    const button = (text, look, onclick, name) =>
      h("button", { class: `button ${look}`, type: "button", onclick }, icon(name), text);
    const link = (text, look, href, name) => h("a", { class: `button ${look}`, href }, icon(name), text);
    replace(
      this.actions,
      PAUSABLE.includes(state) ? button("Pause", "", () => this.ask("pause"), "pause") : null,
      state === "paused" || state === "failed" ? button("Resume", "primary", () => this.ask("resume"), "play") : null,
      PAUSABLE.includes(state) || state === "paused" ? button("Stop", "", () => this.stop(), "stop") : null,
      OVER.includes(state) && file
        ? [
            link("Play against it", "primary", `#/play?${new URLSearchParams({ game, file })}`, "play"),
            link("Inspect", "", `#/inspect?${new URLSearchParams({ file })}`, "inspect"),
            link("Train further", "", `#/train?${new URLSearchParams({ resume: file })}`, "train"),
          ]
        : null,
      OVER.includes(state) ? button("Remove", "ghost", () => this.remove(id), "trash") : null,
    );
  }

  draw() {
    const { curve, state, of } = this.run;
    const empty = curve.length === 0;
    this.waiting.hidden = !empty;
    this.plot.hidden = empty;
    this.waiting.textContent = waitingWords(state, this.run.evaluator);
    if (this.element.open) this.curve.update(curve, of);
  }

  async ask(what) {
    try {
      this.update(await post(`/api/runs/${this.run.id}/${what}`));
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async stop() {
    const sure = await confirmQuestion({
      title: `Stop ${this.run.name}?`,
      text: "The agent is kept as it is now, but this run will not go on. To go on later, pause it instead.",
      action: "Stop",
      danger: true,
    });
    if (sure) await this.ask("stop");
  }

  async remove(id) {
    const sure = await confirmQuestion({
      title: `Remove ${this.run.name} from the list?`,
      text: this.run.file ? "Its agent stays among the agents; its curve here is lost." : "Its curve is lost.",
      action: "Remove",
      danger: true,
    });
    if (!sure) return;
    try {
      await del(`/api/runs/${id}`);
      this.onremove();
    } catch (error) {
      toast(error.message, "error");
    }
  }

  close() {
    this.curve.close();
    this.element.remove();
  }
}

function strength(run) {
  const last = run.curve.at(-1);
  return last ? `score ${score(last.score)} (${score(last.low)} to ${score(last.high)})` : "";
}

function timeLeft(run) {
  return run.state === "running" && run.seconds_left != null ? `${duration(run.seconds_left)} left` : "";
}

function waitingWords(state, evaluator) {
  if (!evaluator) return "This run is not evaluated, so it has no curve.";
  if (state === "queued") return "Waits for the runs before it.";
  if (state === "compiling") return "Compiling the game: this happens once, then it is quick.";
  return OVER.includes(state) ? "It was never evaluated." : "The curve begins with the first evaluation.";
}
