// A stored game, stepped through: buttons, a slider, the move list, and the keyboard (arrows, Home, End, space).

import { Board } from "../board/board.js";
import { get } from "../common/api.js";
import { iconButton } from "../common/buttons.js";
import { askAndDelete } from "../common/deletion.js";
import { go, h, icon, keepAddress, replace, when } from "../common/dom.js";
import { playerChip } from "../common/players.js";
import { clockSetting, gameWords, positionWords, resultWords, seatWords } from "../common/words.js";
import { Analysis } from "./analysis.js";

const SLOWEST = 700; // milliseconds from move to move, fewer in games that would take more than a minute
const QUICKEST = 80;
const MINUTE = 60_000;

/**
 * One stored game, `#/games/RECORD?ply=N`.
 *
 * @param {HTMLElement} root
 * @param {string} id
 * @param {URLSearchParams} query
 */
export async function showReplay(root, id, query) {
  const record = await get(`/api/records/${id}`);
  const replay = new Replay(record);
  replace(root, replay.element);
  const onkey = (event) => replay.key(event);
  document.addEventListener("keydown", onkey);
  await replay.go(Number(query.get("ply") ?? 0));
  return () => {
    document.removeEventListener("keydown", onkey);
    replay.pause();
    replay.analysis.stop();
    replay.board.destroy();
  };
}

class Replay {
  /** @param {Api.RecordDetail} record */
  constructor(record) {
    this.record = record;
    this.ply = 0;
    this.asked = 0;
    this.timer = 0;
    /** @type {Map<number, Promise<Api.RecordPosition>>} */
    this.positions = new Map();
    this.board = new Board({ label: record.title });
    this.status = h("p", { class: "replay-status", "aria-live": "polite" });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: record.plies,
      step: 1,
      value: 0,
      class: "slider",
      "aria-label": "Move",
      oninput: () => (this.pause(), this.go(Number(this.slider.value))),
    });
    this.items = this.moveItems();
    this.moves = h("ol", { class: "replay-moves" }, this.items);
    this.playing = iconButton("Play", "play", () => this.toggle());
    this.buttons = {
      first: iconButton("First", "first", () => this.jump(0)),
      previous: iconButton("Previous", "previous", () => this.jump(this.ply - 1)),
      next: iconButton("Next", "next", () => this.jump(this.ply + 1)),
      last: iconButton("Last", "last", () => this.jump(this.record.plies)),
    };
    this.analysis = new Analysis(record, {
      onPick: (ply) => this.jump(ply),
      onGrade: (ply, grade, words) => this.markGrade(ply, grade, words),
    });
    this.inspect = h("a", { class: "button", href: "" }, icon("inspect"), "Inspect this position");
    this.element = h("div", { class: "page" }, this.head(), this.body());
  }

  head() {
    const record = this.record;
    const [place, all] = record.tournament
      ? [`#/tournaments/${record.tournament}`, "The tournament"]
      : ["#/games", "All games"];
    const back = { class: "icon-button", href: place, title: all, "aria-label": all };
    const exported = { class: "icon-button", href: `/api/records/${record.id}/export`, download: "" };
    const moves = { class: "icon-button", href: `/api/records/${record.id}/moves`, download: "" };
    const gone = () => deleteGame(record, () => go("#/games"));
    const clock = record.clock && `clock ${clockSetting(record.clock)}`;
    const facts = [resultWords(record), clock, when(record.created)];
    return h(
      "div",
      { class: "page-head with-back" },
      h("a", back, icon("back")),
      h("h1", {}, gameWords(record.title, record.game)),
      h(
        "div",
        { class: "row tight" },
        h(
          "a",
          { ...moves, title: "Export the moves as text", "aria-label": "Export the moves as text" },
          icon("games"),
        ),
        h("a", { ...exported, title: "Export as JSON", "aria-label": "Export as JSON" }, icon("download")),
        record.tournament ? null : iconButton("Delete", "trash", gone),
      ),
      h(
        "p",
        { class: "muted replay-facts" },
        record.seats.map((name, seat) =>
          h("span", { title: record.players[seat] }, playerChip(record.players[seat], seat), name),
        ),
        h("span", {}, facts.filter(Boolean).join(" \u00b7 ")),
      ),
    );
  }

  body() {
    const { first, previous, next, last } = this.buttons;
    return h(
      "div",
      { class: "replay" },
      h(
        "div",
        { class: "replay-board" },
        this.board.element,
        this.status,
        this.slider,
        h("div", { class: "row replay-buttons" }, first, previous, this.playing, next, last),
        this.record.plies ? this.analysis.element : null,
      ),
      h("div", { class: "card stack replay-side" }, h("h2", {}, "Moves"), this.moves, this.inspect),
    );
  }

  moveItems() {
    const item = (ply, text, kind) =>
      h(
        "li",
        { dataset: { ply }, class: kind },
        h("button", { type: "button", onclick: () => this.jump(ply) }, h("span", { class: "muted" }, ply || ""), text),
      );
    return [item(0, "Start", "start"), ...this.record.moves.map((move) => item(move.ply, move.name, move.kind))];
  }

  /**
   * @param {number} ply
   * @param {string} grade
   * @param {string} words
   */
  markGrade(ply, grade, words) {
    const button = this.items[ply].children[0];
    button.append(
      h("span", { class: `grade ${grade}`, title: words, "aria-label": words }, grade === "mistake" ? "?" : "?!"),
    );
  }

  jump(ply) {
    this.pause();
    this.go(ply);
  }

  /**
   * Show the position after so many events.
   *
   * @param {number} wanted
   */
  async go(wanted) {
    const ply = Math.max(0, Math.min(this.record.plies, wanted || 0));
    this.ply = ply;
    const turn = ++this.asked;
    this.markMove();
    keepAddress(`games/${this.record.id}`, { ply: ply || null });
    const position = await this.position(ply);
    if (turn !== this.asked) return;
    this.board.draw({ svg: position.svg, legal: [], playable: false });
    this.status.textContent = positionWords(position, position);
    if (ply < this.record.plies) this.position(ply + 1);
  }

  /**
   * The position after `ply` events, asked for once.
   *
   * @param {number} ply
   */
  position(ply) {
    const known = this.positions.get(ply);
    if (known) return known;
    const asked = get(`/api/records/${this.record.id}/position`, { ply });
    asked.catch(() => this.positions.delete(ply));
    this.positions.set(ply, asked);
    return asked;
  }

  markMove() {
    const { ply } = this;
    this.slider.value = String(ply);
    this.analysis.show(ply);
    this.slider.style.setProperty("--share", `${(100 * ply) / Math.max(1, this.record.plies)}%`);
    this.slider.setAttribute("aria-valuetext", `move ${ply} of ${this.record.plies}`);
    this.buttons.first.disabled = this.buttons.previous.disabled = ply === 0;
    this.buttons.last.disabled = this.buttons.next.disabled = ply === this.record.plies;
    this.inspect.href = `#/inspect?${new URLSearchParams({ record: this.record.id, ply: String(ply) })}`;
    for (const [at, item] of this.items.entries()) {
      item.classList.toggle("current", at === ply);
      if (at === ply) item.children[0].setAttribute("aria-current", "step");
      else item.children[0].removeAttribute("aria-current");
      if (at === ply) keepInSight(this.moves, item);
    }
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.ply === this.record.plies) this.go(0);
    this.showPlaying(true);
    this.timer = setInterval(
      () => {
        if (this.ply < this.record.plies) this.go(this.ply + 1);
        else this.pause();
      },
      Math.max(QUICKEST, Math.min(SLOWEST, MINUTE / this.record.plies)),
    );
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.showPlaying(false);
  }

  showPlaying(on) {
    replace(this.playing, icon(on ? "pause" : "play"));
    this.playing.title = on ? "Pause" : "Play";
    this.playing.setAttribute("aria-label", this.playing.title);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    const typing = target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const ply = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.record.plies }[event.key];
    if (ply !== undefined) this.jump(ply);
    else if (event.key === " " && !target.closest("button, a")) this.toggle();
    else return;
    event.preventDefault();
  }
}

/**
 * Ask, and delete a stored game; `after` is called when it is gone.
 *
 * @param {Api.Record} record
 * @param {() => void} after
 */
export function deleteGame(record, after) {
  const text = `${record.title}, ${seatWords(record)}. It will also be removed from the hall of fame.`;
  return askAndDelete(`/api/records/${record.id}`, { title: "Delete this game?", text }, after);
}

/**
 * Scroll the list, and only the list, so that an item of it can be seen.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} item
 */
function keepInSight(list, item) {
  const above = item.offsetTop - list.scrollTop;
  if (above < 0) list.scrollTop = item.offsetTop;
  else if (above + item.offsetHeight > list.clientHeight)
    list.scrollTop = item.offsetTop + item.offsetHeight - list.clientHeight;
}
