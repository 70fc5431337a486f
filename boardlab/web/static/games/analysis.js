// The analysis of a stored game: what the perfect player, or else the usual adviser, thinks of every position, as a graph
// over the moves, with the mistakes marked. It is worked out move by move while one looks.

import { get, post } from "../common/api.js";
import { h, replace, s, short } from "../common/dom.js";

const WIDTH = 600;
const HEIGHT = 150;
const EDGE = 14;

/**
 * A move as it was judged: what the first player might expect before it and after it, and what it cost who played it.
 *
 * @typedef {{ ply: number, player: number, before: number, after: number, cost: number }} Verdict
 */

/** @typedef {"" | "inaccuracy" | "mistake"} Grade */

export class Analysis {
  /**
   * @param {Api.RecordDetail} record
   * @param {{ onPick: (ply: number) => void, onGrade: (ply: number, grade: Grade, words: string) => void }} tell
   */
  constructor(record, tell) {
    this.record = record;
    this.tell = tell;
    /** @type {Verdict[]} */
    this.verdicts = [];
    this.stopper = new AbortController();
    this.ply = 0;
    this.exact = false;
    this.range = 2;
    this.words = h("p", { class: "muted small", role: "status" });
    this.graph = s("svg", {
      class: "evaluation",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
    });
    this.graph.addEventListener("click", (event) => this.pick(event));
    this.button = h("button", { class: "button", type: "button", onclick: () => this.toggle() }, "Analyse this game");
    this.body = h("div", { class: "stack", hidden: true }, this.graph, this.words);
    this.element = h("section", { class: "card stack analysis", "aria-label": "Analysis" }, this.button, this.body);
    this.running = false;
  }

  toggle() {
    if (this.running) this.stop();
    else this.run();
  }

  stop() {
    this.stopper.abort();
    this.running = false;
    this.button.textContent = "Go on analysing";
  }

  async run() {
    this.running = true;
    this.stopper = new AbortController();
    this.button.textContent = "Stop";
    this.body.hidden = false;
    const { game, moves, events, setup } = this.record;
    const { adviser } = await get("/api/games/open", { game });
    this.exact = adviser.exact;
    const todo = moves.filter((move) => move.kind === "action").slice(this.verdicts.length);
    try {
      for (const move of todo) {
        if (this.stopper.signal.aborted) return;
        const wish = { game, events: events.slice(0, move.ply - 1), setup, choice: adviser.choice };
        const seen = await post("/api/inspect", wish, { signal: this.stopper.signal });
        this.judge(move, seen);
        this.draw();
        this.words.textContent = `${adviser.label}: ${this.verdicts.length} of ${moves.length} moves`;
      }
      this.conclude(adviser.label);
    } catch (error) {
      if (error.name !== "AbortError") this.words.textContent = error.message;
    }
    this.running = false;
  }

  /**
   * @param {Api.MoveLine} move
   * @param {Api.Inspected} seen
   */
  judge(move, seen) {
    const values = (seen.values ?? []).filter((line) => line.value !== null);
    const best = Math.max(...values.map((line) => line.value ?? 0));
    const played = values.find((line) => line.action === move.number)?.value ?? best;
    const player = move.player ?? 0;
    const sign = player === 0 || seen.players.length !== 2 ? 1 : -1;
    const [before, after] = values.length ? [sign * best, sign * played] : [0, 0];
    const name = seen.values?.find((line) => line.action === seen.best[0])?.name ?? "";
    const verdict = { ply: move.ply, player, before, after, cost: values.length ? best - played : 0 };
    this.verdicts.push(verdict);
    const all = this.verdicts.flatMap((v) => [Math.abs(v.before), Math.abs(v.after)]);
    this.range = Math.max(this.exact ? 1 : 0.5, ...all);
    const grade = this.grade(verdict);
    if (grade) this.tell.onGrade(move.ply, grade, `${grade}: ${name} was better by ${short(verdict.cost)}`);
  }

  /**
   * A perfect player knows every mistake; what another one sees may be noise.
   *
   * @param {Verdict} verdict
   * @returns {Grade}
   */
  grade({ cost }) {
    if (this.exact) return cost > 1e-6 ? "mistake" : "";
    if (cost > 0.3 * this.range) return "mistake";
    return cost > 0.12 * this.range ? "inaccuracy" : "";
  }

  /** @param {string} label */
  conclude(label) {
    const { seats, players } = this.record;
    const counts = players.map((name, player) => {
      const graded = this.verdicts.filter((verdict) => verdict.player === player).map((verdict) => this.grade(verdict));
      const mistakes = graded.filter((grade) => grade === "mistake").length;
      return `${name} (${seats[player]}): ${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"}`;
    });
    const who = this.exact ? `${label} knows every position of this game.` : `${label} estimates; it may be wrong.`;
    const above = players.length === 2 ? ` Above the middle line ${players[0]} is ahead.` : "";
    this.words.textContent = `${counts.join(", ")}. ${who}${above}`;
    this.button.hidden = true;
  }

  x(ply) {
    return EDGE + ((WIDTH - 2 * EDGE) * ply) / this.record.plies;
  }

  y(value) {
    return HEIGHT / 2 - ((HEIGHT / 2 - EDGE) * value) / this.range;
  }

  draw() {
    const points = this.verdicts.map((v) => [this.x(v.ply - 1), this.y(v.before)]);
    const end = this.verdicts.at(-1);
    if (end) points.push([this.x(end.ply), this.y(end.after)]);
    const line = points.map((p) => p.join()).join(" ");
    const first = points[0];
    const last = points.at(-1);
    const mistakes = this.verdicts.filter((verdict) => this.grade(verdict) === "mistake").length;
    this.graph.setAttribute("aria-label", `Evaluation after each move; ${mistakes} mistakes so far`);
    const middle = HEIGHT / 2;
    replace(
      this.graph,
      first &&
        last &&
        s("polygon", { class: "evaluation-area", points: `${first[0]},${middle} ${line} ${last[0]},${middle}` }),
      s("line", { class: "evaluation-zero", x1: EDGE, x2: WIDTH - EDGE, y1: middle, y2: middle }),
      s("polyline", { class: "evaluation-line", points: line }),
      s("line", { class: "evaluation-now", x1: this.x(this.ply), x2: this.x(this.ply), y1: 0, y2: HEIGHT }),
      this.verdicts.map((verdict) => {
        const grade = this.grade(verdict);
        const [x, y] = [this.x(verdict.ply), this.y(verdict.after)];
        return grade && s("line", { class: `evaluation-mark ${grade}`, x1: x, x2: x, y1: y, y2: y });
      }),
    );
  }

  /** @param {number} ply */
  show(ply) {
    this.ply = ply;
    if (!this.body.hidden) this.draw();
  }

  /** @param {MouseEvent} event */
  pick(event) {
    const box = this.graph.getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
    this.tell.onPick(Math.round(at * this.record.plies));
  }
}
