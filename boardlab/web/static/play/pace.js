// The pace of a live game in which agents play: pause and resume, one move at a time, how quickly they follow each
// other, and, while paused, the outcome of a chance event.

import { chanceChooser } from "../board/chance.js";
import { h, icon, replace } from "../common/dom.js";

const SLOWEST = 3000; // milliseconds between moves

export class Pace {
  /** @param {(verb: "step" | "pace" | "chance", body?: object) => void} act asks the server */
  constructor(act) {
    this.act = act;
    this.shown = false;
    this.paused = false;
    this.pause = h("button", { class: "button", type: "button", onclick: () => this.toggle() });
    this.step = h(
      "button",
      { class: "button", type: "button", title: "Play one move", onclick: () => this.act("step") },
      icon("step"),
      "Step",
    );
    this.speed = h("input", {
      id: "speed",
      type: "range",
      min: 0,
      max: 100,
      "aria-label": "Agent speed",
      onchange: () => this.act("pace", { delay: delayOf(Number(this.speed.value)) }),
    });
    this.slow = h("label", { class: "speed" }, h("span", { class: "muted small" }, "Speed"), this.speed);
    this.chance = h("div", { class: "chance" });
    this.element = h("div", { class: "pace", hidden: true }, this.pause, this.step, this.slow, this.chance);
  }

  /** @param {Api.LiveGameView} view */
  show(view) {
    this.paused = view.paused;
    const over = view.over || view.resigned !== null;
    const agents = view.seats.filter((seat) => seat.kind === "agent").length;
    const alone = agents === view.seats.length;
    this.shown = alone || (view.paused && agents > 0);
    this.element.hidden = !this.shown;
    replace(this.pause, icon(view.paused ? "play" : "pause"), view.paused ? "Resume" : "Pause");
    this.pause.disabled = over;
    this.step.disabled = over || !view.paused || Boolean(view.thinking);
    this.slow.hidden = !alone;
    if (document.activeElement !== this.speed) this.speed.value = String(speedOf(view.delay));
    this.showChance(view);
  }

  /** @param {Api.LiveGameView} view */
  showChance(view) {
    const outcomes = view.paused && view.chance_due ? view.outcomes : [];
    this.chance.hidden = outcomes.length === 0;
    replace(
      this.chance,
      outcomes.length ? chanceChooser(outcomes, (outcome) => this.act("chance", { outcome, ply: view.ply })) : null,
    );
  }

  toggle() {
    this.act("pace", { paused: !this.paused });
  }
}

/** @param {number} speed */
function delayOf(speed) {
  return Math.round(SLOWEST * (1 - speed / 100) ** 2);
}

/** @param {number} delay */
function speedOf(delay) {
  return Math.round(100 * (1 - Math.sqrt(Math.min(delay, SLOWEST) / SLOWEST)));
}
