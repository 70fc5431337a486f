// A card of something that goes on at the server and can be watched: a training run or a match. What they have in common
// is here: name, state, progress, the server's message, a row of buttons, and how to ask and to delete.

import { askAndDelete } from "../common/deletion.js";
import { h, icon, replace, toast } from "../common/dom.js";

const OVER = ["finished", "stopped", "failed"];
/** @type {{ [state: string]: string }} */
const LOOKS = { running: "busy", compiling: "busy", stopping: "busy", finished: "good", failed: "bad" };

/** @template {LiveItem} T */
export class LiveCard {
  /**
   * @param {T} item
   * @param {string} name
   * @param {CardPlace} place
   */
  constructor(item, name, { open, onremove }) {
    this.item = item;
    this.onremove = onremove;
    this.actionsFor = "";
    this.badge = h("span", { class: "badge" });
    this.headline = h("span", { class: "muted card-headline" });
    this.bar = h("i");
    this.progress = h(
      "div",
      { class: "progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0 },
      this.bar,
    );
    this.message = h("p", { class: "notice", hidden: true });
    this.body = h("div", { class: "stack" });
    this.actions = h("div", { class: "row card-actions" });
    this.element = h(
      "details",
      { class: "card live-card", open, dataset: { id: item.id }, ontoggle: () => this.opened() },
      h(
        "summary",
        {},
        h("div", { class: "card-title" }, h("strong", {}, name), this.badge),
        this.headline,
        this.progress,
      ),
      this.message,
      this.body,
      this.actions,
    );
  }

  /** Whether nothing more will happen. */
  get isOver() {
    return OVER.includes(this.item.state);
  }

  /**
   * Show the item as the server last told it.
   *
   * @param {T} item
   */
  update(item) {
    this.item = item;
    const { state, message } = item;
    const percent = 100 * this.share();
    this.badge.textContent = state;
    this.badge.className = `badge ${LOOKS[state] ?? ""}`;
    this.element.dataset.state = state;
    this.headline.textContent = this.summary().filter(Boolean).join(" \u00b7 ");
    this.bar.style.width = `${percent}%`;
    this.progress.setAttribute("aria-valuenow", String(Math.round(percent)));
    this.progress.hidden = state === "finished";
    this.message.textContent = message ?? "";
    this.message.hidden = !message;
    this.message.classList.toggle("error", state === "failed");
    this.fill();
    this.fillActions();
  }

  // ------------------------------------------------------------ what a card of a kind says

  /** How much of it is done, from 0 to 1. */
  share() {
    return 0;
  }

  /**
   * What is said below the name, in parts.
   *
   * @returns {string[]}
   */
  summary() {
    return [];
  }

  /** Fill the body. */
  fill() {}

  /** The person opened or closed the card. */
  opened() {}

  /** What the buttons depend on, beside the state. */
  actionsKey() {
    return "";
  }

  /**
   * The buttons.
   *
   * @returns {Child[]}
   */
  buttons() {
    return [];
  }

  // ------------------------------------------------------------ what can be done

  /** Buttons are made anew only when they change: one that has the focus keeps it. */
  fillActions() {
    const key = `${this.item.state} ${this.actionsKey()}`;
    if (key === this.actionsFor) return;
    this.actionsFor = key;
    replace(this.actions, this.buttons());
  }

  /**
   * @param {string} text
   * @param {string} look
   * @param {import("../common/buttons.js").IconName} name
   * @param {() => void} onclick
   */
  button(text, look, name, onclick) {
    return h("button", { class: `button ${look}`, type: "button", onclick }, icon(name), text);
  }

  /**
   * Show what the server answers, or why it refuses.
   *
   * @param {Promise<T>} answer
   */
  async showAnswer(answer) {
    try {
      this.update(await answer);
    } catch (error) {
      toast(error.message, "error");
    }
  }

  /**
   * Delete it if the person is sure.
   *
   * @param {Api.DeletePath} path
   * @param {{ title: string, text: string, action?: string }} question
   */
  remove(path, question) {
    return askAndDelete(path, question, this.onremove);
  }

  close() {
    this.element.remove();
  }
}
