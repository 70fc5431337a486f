// The clocks of a live game: what people have left. The server runs them; the page counts on from what it last said.

import { h } from "../common/dom.js";

const LOW = 20; // seconds, or a tenth of what one began with where that is less
const TENTHS = 10; // seconds below which tenths are shown
const TELL = [300, 60, 30, 10, 5]; // seconds at which somebody who listens is told

export class Clocks {
  /** @param {(words: string) => void} tell says something to those who listen */
  constructor(tell) {
    this.tell = tell;
    /** @type {Api.ClockView | null} */
    this.clock = null;
    this.since = 0;
    /** @type {(HTMLElement | null)[]} */
    this.faces = [];
    this.told = 0; // of the time that runs: what was told last, or what was left when the turn began
  }

  /**
   * The faces of all seats for a view, to be put on the page.
   *
   * @param {Api.LiveGameView} view
   */
  show(view) {
    const { clock } = view;
    if (clock && clock.running !== null && clock.running !== this.clock?.running)
      this.told = clock.left[clock.running] ?? 0;
    this.clock = clock;
    this.since = performance.now();
    this.faces = view.seats.map((_, seat) =>
      clock?.left[seat] == null ? null : h("span", { class: "seat-clock num", role: "timer" }),
    );
    this.tick();
    return this.faces;
  }

  /**
   * Seconds that a seat has left.
   *
   * @param {number} seat
   */
  left(seat) {
    const { clock } = this;
    const known = clock?.left[seat] ?? 0;
    return clock?.running === seat ? Math.max(0, known - (performance.now() - this.since) / 1000) : known;
  }

  /** Show how time goes by. */
  tick() {
    const { clock } = this;
    if (!clock) return;
    for (const [seat, face] of this.faces.entries()) {
      if (!face) continue;
      const left = this.left(seat);
      const text = clockText(left);
      if (face.textContent === text) continue;
      face.textContent = text;
      face.setAttribute("aria-label", `${clockWords(left)} left`);
      face.classList.toggle("low", left < Math.min(LOW, 6 * clock.minutes));
      face.classList.toggle("running", clock.running === seat);
    }
  }

  /**
   * Tell a person when little is left.
   *
   * @param {(seat: number) => boolean} isMine whether somebody here plays for a seat
   */
  warn(isMine) {
    const { clock } = this;
    if (!clock || clock.running === null || !isMine(clock.running)) return;
    const left = this.left(clock.running);
    const reached = TELL.filter((mark) => left <= mark && mark < 60 * clock.minutes).at(-1);
    if (reached === undefined || reached >= this.told) return;
    this.told = reached;
    this.tell(`${clockWords(reached)} left.`);
  }

  /**
   * All clocks in words.
   *
   * @param {Api.LiveGameView} view
   */
  words(view) {
    if (!this.clock) return "This game has no clock.";
    const known = view.seats.flatMap(({ label }, seat) =>
      this.clock?.left[seat] == null ? [] : [`${label}: ${clockWords(this.left(seat))}`],
    );
    return `${known.join(". ")}.`;
  }
}

/**
 * "4:05", "0:09.3", "1:02:03".
 *
 * @param {number} seconds
 */
export function clockText(seconds) {
  if (seconds < TENTHS) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  const whole = Math.ceil(seconds);
  const two = (x) => String(x).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** @param {number} seconds */
function clockWords(seconds) {
  const whole = Math.ceil(seconds);
  const part = (x, word) => (x ? `${x} ${word}${x === 1 ? "" : "s"}` : "");
  const parts = [part(Math.floor(whole / 60), "minute"), part(whole % 60, "second")].filter(Boolean);
  return parts.join(" ") || "no time";
}
