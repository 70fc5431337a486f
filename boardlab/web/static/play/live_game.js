// A live game: the board, who plays, what happens, and everything one can do about it. The server holds the game; every
// answer and every event of the stream is a whole view of it, and the newest revision wins.

import { Board } from "../board/board.js";
import { moveList } from "../board/move_list.js";
import { get, listen, post, watchGame } from "../common/api.js";
import { headButton } from "../common/buttons.js";
import { confirmQuestion, h, icon, replace, toast } from "../common/dom.js";
import { playerChip, seatName } from "../common/players.js";
import { Advisor } from "./advisor.js";
import { Clocks } from "./clocks.js";
import { compilingBar } from "./compiling.js";
import { forgetLiveGame, rememberLiveGame } from "./last_game.js";
import { askSeats, showRules } from "./live_game_dialogs.js";
import { Pace } from "./pace.js";
import { Sharing } from "./sharing.js";
import { playSound, soundIsOn, toggleSound } from "./sound.js";
import { ending, isOver, newsText, seatLabel, statusText, winners } from "./status.js";

/**
 * The live game `#/play/ID`.
 *
 * @param {HTMLElement} root
 * @param {string} id
 */
export async function showLiveGame(root, id) {
  const game = new LiveGame(root, await get(`/api/tables/${encodeURIComponent(id)}`));
  return () => game.leave();
}

const COMPILING_POLL = 400; // milliseconds
const TICK = 100; // milliseconds

/** @typedef {"move" | "chance" | "undo" | "redo" | "jump" | "restart" | "resign" | "flip"} Change */
/** @typedef {Change | "interrupt" | "step" | "pace" | "seats"} Verb what the server is asked to do */

class LiveGame {
  /**
   * @param {HTMLElement} root
   * @param {Api.LiveGameView} view
   */
  constructor(root, view) {
    this.view = view;
    this.busy = false;
    /** @type {{ verb: Verb, body: any } | null} */
    this.next = null; // what to do when the server has answered
    /** @type {number | null} */
    this.early = null; // what to play as soon as one may
    /** @type {number | null} */
    this.thinkingSince = null;
    this.thinking = h("span", { class: "num clock" });
    this.asks = 0; // the timer of the next look at an agent that is being compiled
    this.shownPly = view.ply; // the ply of what is on the page
    this.showLater = 0; // the timer of what is shown as soon as the last move is in its place
    this.sentAt = -1; // the ply of the last move that was played here
    this.board = new Board({
      onAction: (action) => this.move(action),
      label: view.title,
    });
    this.advisor = new Advisor(this.board, view);
    this.sharing = new Sharing(view, (news) => this.apply(news));
    this.pace = new Pace((verb, body) => this.act(verb, body));
    this.moves = moveList((ply) => this.act("jump", { ply }));
    this.clocks = new Clocks((words) => this.board.say(words));
    this.seats = h("ul", { class: "seats" });
    this.status = h("div", { class: "status-text", role: "status", "aria-live": "polite" });
    this.extra = h("div", { class: "status-extra" });
    this.news = h("div", { class: "visually-hidden", role: "log", "aria-live": "polite" });
    this.text = h("pre", { class: "board-text" });
    this.sound = headButton("Sound", "mute", () => this.toggleSound());
    this.showSound();
    this.tools = this.makeTools();
    this.element = this.layOut();
    replace(root, this.element);
    this.stops = [
      listen("table", (news) => {
        if (news.id === this.view.id && news.revision > this.view.revision) this.apply(news);
      }),
      listen("open", () => this.refresh()),
    ];
    watchGame(view.id);
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.ticker = setInterval(() => this.tick(), TICK);
    this.show();
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    clearInterval(this.ticker);
    clearTimeout(this.asks);
    clearTimeout(this.showLater);
    for (const stop of this.stops) stop();
    this.advisor.hide();
    this.board.destroy();
    watchGame(null);
  }

  // ------------------------------------------------------------ what is on the page

  layOut() {
    return h(
      "div",
      { class: "game-view live-game" },
      h(
        "header",
        { class: "game-head" },
        h("h1", {}, this.view.title),
        h(
          "div",
          { class: "game-actions" },
          this.sound,
          headButton("Rules", "info", () => showRules(this.view)),
          headButton("Invite", "upload", () => this.sharing.invite()),
          headButton("Players", "seats", () => askSeats(this.view, (seats) => this.act("seats", { seats }))),
          h(
            "a",
            { class: "button ghost", title: "New game", href: `#/play?game=${encodeURIComponent(this.view.game)}` },
            icon("plus"),
            h("span", {}, "New game"),
          ),
        ),
      ),
      h(
        "section",
        { class: "stage", "aria-label": "Game" },
        this.sharing.element,
        this.board.element,
        h("div", { class: "status" }, this.status, this.extra),
        h("div", { class: "tools", role: "toolbar", "aria-label": "Game controls" }, Object.values(this.tools)),
        this.pace.element,
        this.news,
      ),
      h(
        "aside",
        { class: "side" },
        h("section", { class: "card seats-card" }, h("h2", { class: "visually-hidden" }, "Players"), this.seats),
        this.advisor.element,
        h("section", { class: "card moves-card" }, h("h2", {}, "Moves"), this.moves.element),
        h("details", { class: "card fold text-card" }, h("summary", {}, h("span", {}, "Board as text")), this.text),
      ),
    );
  }

  makeTools() {
    /** @type {(name: import("../common/buttons.js").IconName, title: string, key: string | null, act: () => void) => any} */
    const tool = (name, title, key, act) =>
      h(
        "button",
        {
          class: "tool",
          type: "button",
          title: key ? `${title} (${key})` : title,
          dataset: { tool: name },
          onclick: act,
        },
        icon(name),
        h("span", {}, title),
      );
    return {
      undo: tool("undo", "Undo", "u", () => this.act("undo")),
      redo: tool("redo", "Redo", "r", () => this.act("redo")),
      restart: tool("restart", "Restart", null, () => this.restart()),
      flip: tool("flip", "Swap", null, () => this.act("flip")),
      resign: tool("resign", "Resign", null, () => this.resign()),
      hint: tool("hint", "Hint", "h", () => this.advisor.hint()),
      heat: tool("heat", "Values", "v", () => this.toggleValues()),
    };
  }

  // ------------------------------------------------------------ showing a view

  /**
   * Show a view that the server sent, unless a newer one came before: an event may overtake an answer.
   *
   * @param {Api.LiveGameView} news
   */
  apply(news) {
    if (news.revision >= this.view.revision) this.view = news;
    clearTimeout(this.showLater);
    const moves = this.board.settled - performance.now();
    const follows = this.view.ply > this.shownPly && !Object.keys(this.view.keys).length;
    if (moves > 0 && follows) this.showLater = setTimeout(() => this.show(), moves);
    else this.show();
    if (isOver(this.view)) forgetLiveGame();
    else rememberLiveGame(this.view);
  }

  show() {
    const { view } = this;
    const slides = view.ply > this.shownPly ? view.slides : null;
    this.board.draw({ svg: view.svg, legal: view.legal, playable: this.mayMove(), keys: view.keys, slides });
    this.tellNews();
    this.advisor.update(view);
    this.sharing.update(view);
    this.moves.show(view);
    this.pace.show(view);
    this.element.classList.toggle("paced", this.pace.shown);
    this.showSeats();
    this.showStatus();
    this.showTools();
    this.playEarly();
  }

  /** What has happened since the page was last shown, for those who listen to it. */
  tellNews() {
    const { view, shownPly } = this;
    this.shownPly = view.ply;
    this.text.textContent = view.text;
    if (view.ply === shownPly) return;
    const news = view.ply > shownPly ? newsText(view, shownPly, this.sharing.me) : `Back to move ${view.ply}`;
    this.news.textContent = `${news}.`;
    if (view.ply < shownPly) return;
    const last = view.moves[view.ply - 1];
    if (isOver(view)) playSound(ending(view, this.sharing.me));
    else playSound(last.player !== null && view.seats[last.player].kind === "person" ? "move" : "reply");
  }

  toggleSound() {
    toggleSound();
    this.showSound();
  }

  showSound() {
    const on = soundIsOn();
    this.sound.setAttribute("aria-pressed", String(on));
    replace(this.sound, icon(on ? "sound" : "mute"), h("span", {}, "Sound"));
  }

  playEarly() {
    if (this.early === null || this.busy || !this.mayMove()) return;
    const action = this.early;
    this.early = null;
    if (this.view.legal.some((move) => move.action === action)) this.move(action);
  }

  mayMove() {
    const { view } = this;
    if (isOver(view) || view.chance_due || view.thinking) return false;
    return view.to_move !== null && view.seats[view.to_move].kind === "person" && this.sharing.mayPlay(view.to_move);
  }

  showSeats() {
    const { view } = this;
    const scored = isOver(view) || view.scores.some((x) => x !== 0);
    const best = winners(view);
    const clocks = this.clocks.show(view);
    replace(
      this.seats,
      view.players.map((name, i) => {
        const turn = !isOver(view) && !view.chance_due && view.to_move === i;
        const label = seatLabel(view, i, this.sharing.me);
        const won = isOver(view) && best.length < view.players.length && best.includes(i);
        return h(
          "li",
          { class: `seat${turn ? " turn" : ""}${won ? " won" : ""}`, dataset: { seat: i } },
          playerChip(name, i),
          h(
            "div",
            { class: "seat-names" },
            h("span", { class: "seat-label", title: label }, label),
            h(
              "span",
              { class: "seat-player" },
              view.counts.length ? [h("strong", {}, view.counts[i]), " \u00b7 "] : null,
              view.seats[i].kind === "agent" ? `${seatName(name, i)} \u00b7 agent` : seatName(name, i),
            ),
          ),
          clocks[i],
          h("span", { class: "seat-score num" }, scored ? scoreText(view.scores[i]) : ""),
        );
      }),
    );
  }

  showStatus() {
    const { view } = this;
    const texts = view.compiling ? [] : [statusText(view, this.sharing.me)];
    if (view.message) texts.push(view.message);
    else if (lastChance(view)) texts.push(`${lastChance(view)} by chance`);
    const text = texts.join(" \u00b7 ");
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle("over", isOver(view));
    this.thinkingSince = view.thinking ? performance.now() - 1000 * view.thinking.seconds : null;
    const focused = this.extra.contains(document.activeElement);
    clearTimeout(this.asks);
    if (view.compiling) this.asks = setTimeout(() => this.refresh(), COMPILING_POLL);
    if (view.thinking) {
      const stop = () => this.act("interrupt");
      replace(
        this.extra,
        view.compiling ? compilingBar(view.compiling) : h("span", { class: "spinner" }),
        this.thinking,
        h(
          "button",
          { class: "button small", type: "button", title: "Stop thinking (Esc)", onclick: stop },
          icon("stop"),
          "Stop",
        ),
      );
      this.showThinking();
    } else if (isOver(view)) {
      replace(
        this.extra,
        view.record ? h("a", { class: "button small", href: `#/inspect?record=${view.record}` }, "Inspect") : null,
        h(
          "button",
          { class: "button small primary", type: "button", onclick: () => this.act("restart") },
          "Play again",
        ),
      );
    } else {
      replace(this.extra, view.compiling ? compilingBar(view.compiling) : null);
    }
    if (focused) this.keepFocus();
  }

  /** A button that was pressed may be gone: the keyboard goes on with the one in its place, or with the board. */
  keepFocus() {
    const button = /** @type {HTMLElement | null} */ (this.extra.querySelector("button.primary") ?? null);
    if (button) button.focus({ preventScroll: true });
    else this.board.focus();
  }

  tick() {
    this.showThinking();
    this.clocks.tick();
    this.clocks.warn((seat) => this.sharing.mayPlay(seat));
  }

  showThinking() {
    if (this.thinkingSince === null) return;
    this.thinking.textContent = `${((performance.now() - this.thinkingSince) / 1000).toFixed(1)} s`;
  }

  showTools() {
    const { view, tools } = this;
    const over = isOver(view);
    const persons = view.seats.some((seat) => seat.kind === "person");
    tools.undo.disabled = !view.can_undo;
    tools.redo.disabled = !view.can_redo;
    tools.restart.disabled = view.plies === 0 && !over;
    tools.flip.disabled = view.players.length < 2;
    tools.resign.disabled = over || !persons || view.players.length < 2;
    tools.hint.disabled = !this.mayMove();
  }

  // ------------------------------------------------------------ doing something

  /**
   * Ask the server to do something with the game and show what it says. What comes while it is still busy is done
   * afterwards.
   *
   * @param {Verb} verb
   * @param {any} body
   */
  async act(verb, body = {}) {
    if (this.busy) {
      this.next = { verb, body };
      return;
    }
    this.busy = true;
    try {
      const view = await post(`/api/tables/${this.view.id}/${verb}`, body);
      this.busy = false;
      this.apply(view);
    } catch (error) {
      this.busy = false;
      if (error.status === 409) await this.refresh();
      else toast(error.message, "error");
    }
    const { next } = this;
    this.next = null;
    if (next) await this.act(next.verb, next.body);
  }

  /**
   * Play an action. One that comes while the server is busy is played afterwards if a new position is shown already,
   * or where keys play, since people are quicker with them than any answer; else it is an accidental double click.
   *
   * @param {number} action
   */
  move(action) {
    const { ply, keys } = this.view;
    if (!this.busy) {
      this.sentAt = ply;
      this.act("move", { action, ply });
    } else if (ply !== this.sentAt || Object.keys(keys).length) {
      this.early = action;
    }
  }

  async refresh() {
    try {
      this.apply(await get(`/api/tables/${this.view.id}`));
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async restart() {
    const fresh = isOver(this.view) || this.view.ply < 3;
    const question = { title: "Restart the game?", text: "All moves of this game will be lost.", action: "Restart" };
    if (fresh || (await confirmQuestion(question))) this.act("restart");
  }

  async resign() {
    const question = { title: "Resign this game?", text: "This counts as a loss.", action: "Resign", danger: true };
    if (await confirmQuestion(question)) this.act("resign");
  }

  toggleValues() {
    this.tools.heat.setAttribute("aria-pressed", String(this.advisor.toggle()));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    const typing = target.closest?.("input, select, textarea, dialog");
    if (typing || document.querySelector("dialog[open]") || event.altKey || event.ctrlKey || event.metaKey) return;
    const onControl = target.closest?.("button, a, summary") && (event.key === " " || event.key === "Enter");
    if (onControl) return;
    const shortcut = {
      u: this.tools.undo,
      r: this.tools.redo,
      h: this.tools.hint,
      v: this.tools.heat,
    }[event.key.toLowerCase()];
    let used = true;
    if (this.board.handleKey(event)) used = true;
    else if (shortcut) shortcut.click();
    else if (event.key === " " && this.pace.shown) this.pace.toggle();
    else if (event.key === "Escape" && this.view.thinking) this.act("interrupt");
    else if (event.key === "?") showRules(this.view);
    else if (event.key === "b") this.board.say(this.view.text);
    else if (event.key === "c") this.board.say(this.clocks.words(this.view));
    else used = false;
    if (used) event.preventDefault();
  }
}

/** @param {Api.LiveGameView} view */
function lastChance(view) {
  const last = view.moves[view.ply - 1];
  return last?.kind === "chance" && !view.chance_due && !isOver(view) ? last.name : null;
}

function scoreText(x) {
  return (Number.isInteger(x) ? x.toLocaleString("en") : x.toFixed(2)).replace("-", "\u2212");
}
