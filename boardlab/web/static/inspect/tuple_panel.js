// What an n-tuple network looks at: its tuples drawn on the board, what each of them adds to the value of the inspected
// position, and its look-up tables, entry by entry.

import { get, post } from "../common/api.js";
import { h, number, replace } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { LookUpTable } from "./lookup_table.js";

const CHANGES = 250; // milliseconds; while somebody steps through a game, only the last position is asked about

export class TuplePanel {
  constructor() {
    this.turn = 0;
    this.timer = 0;
    /** @type {string | null} */
    this.file = null;
    /** @type {Api.InspectWish | null} */
    this.body = null;
    /** @type {string[]} */
    this.players = [];
    /** @type {number | null} */
    this.action = null;
    /** @type {Api.TupleList | null} */
    this.drawn = null;
    /** @type {Api.TupleLook | null} */
    this.answer = null;
    /** @type {number | null} */
    this.selected = null;
    this.after = h("select", { "aria-label": "Position or move", onchange: () => this.chooseAction() });
    this.title = h("h2", {}, "N-tuples");
    this.sum = h("span", { class: "muted" });
    this.list = h("ol", { class: "tuple-list" });
    this.detail = h("div", { class: "tuple-detail" });
    this.lookUpTable = new LookUpTable();
    this.element = h(
      "section",
      { class: "card tuples", hidden: true },
      h("div", { class: "card-head tuples-head" }, this.title, this.after),
      this.sum,
      h(
        "div",
        { class: "tuples-columns" },
        h("div", { class: "tuple-list-box" }, this.list),
        h("div", { class: "stack" }, this.detail, this.lookUpTable.element),
      ),
    );
  }

  stop() {
    this.turn++;
    clearTimeout(this.timer);
    this.lookUpTable.stop();
  }

  /**
   * @param {ChosenAgent[]} agents that are inspected
   * @param {string[]} players their names
   * @param {Api.InspectWish} body the request that names the position
   * @param {Api.Inspected | null} position what the server said about it
   */
  show(agents, players, body, position) {
    const agent = agents.find((a) => a.choice.file);
    const file = agent?.choice.file ?? null;
    if (file !== this.file) {
      this.element.hidden = true;
      this.drawn = null;
      this.selected = null;
    }
    this.file = file;
    clearTimeout(this.timer);
    if (!agent || !file || !position) return;
    this.title.textContent = `N-tuples of ${agent.label}`;
    this.body = body;
    this.players = players;
    this.offerActions(position);
    this.timer = setTimeout(() => this.ask(), CHANGES);
  }

  /**
   * Look at the position after this action, unless the person has chosen another. A network learns the values of
   * positions after actions, so that these tell more than the current one.
   *
   * @param {ChosenAgent} agent
   * @param {number | undefined} action
   */
  suggest(agent, action) {
    if (agent.choice.file !== this.file || this.action !== null || action === undefined) return;
    this.after.value = String(action);
    this.action = action;
    clearTimeout(this.timer);
    this.ask();
  }

  /** @param {Api.Inspected} position */
  offerActions(position) {
    this.action = null;
    replace(
      this.after,
      h("option", { value: "" }, "This position"),
      position.legal.map(({ action, name }) => h("option", { value: action }, `After ${name}`)),
    );
  }

  chooseAction() {
    this.action = this.after.value === "" ? null : Number(this.after.value);
    this.ask();
  }

  async ask() {
    const turn = ++this.turn;
    const current = () => turn === this.turn;
    const { file, action } = this;
    if (!file || !this.body) return;
    const { events, setup } = this.body;
    try {
      const drawn = this.drawn ?? (await get(`/api/files/${file}/tuples`));
      if (!current()) return;
      this.drawn = drawn;
      this.element.hidden = drawn.count === 0; // an agent without n-tuples
      if (drawn.count === 0) return;
      const answer = await post("/api/inspect/tuples", { file, events, setup, action });
      if (!current()) return;
      this.answer = answer;
      this.showAnswer(answer);
    } catch (error) {
      if (!current()) return;
      replace(this.list);
      this.sum.textContent = error.message;
    }
  }

  /** @param {Api.TupleLook} answer */
  showAnswer({ value, total, player, tuples }) {
    const size = (tuple) => Math.abs(tuple.contribution ?? 0);
    this.element.hidden = false;
    const sum =
      tuples.length === 1
        ? `1 tuple gives ${fixed(total)}`
        : `${number(tuples.length)} tuples add up to ${fixed(total)}`;
    this.sum.textContent = `${sum}; the value for ${this.players[player]} is ${fixed(value)}.`;
    const largest = Math.max(1e-12, ...tuples.map(size));
    const ordered = [...tuples].sort((a, b) => size(b) - size(a));
    replace(
      this.list,
      ordered.map((tuple) => this.entry(tuple, largest)),
    );
    const same = tuples.find((t) => t.index === this.selected) ?? ordered[0];
    this.select(same?.index ?? 0);
  }

  /**
   * @param {Api.TupleLine} tuple
   * @param {number} largest
   */
  entry(tuple, largest) {
    const adds = tuple.contribution ?? 0;
    const share = (50 * Math.abs(adds)) / largest;
    const left = adds < 0 ? 50 - share : 50;
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "tuple", dataset: { tuple: tuple.index }, onclick: () => this.select(tuple.index) },
        this.thumbnail(tuple.index),
        h("span", { class: "tuple-number" }, `#${tuple.index + 1}`),
        h(
          "span",
          { class: `tuple-bar ${adds < 0 ? "minus" : "plus"}` },
          h("i", { style: { left: `${left}%`, width: `${share}%` } }),
        ),
        h("span", { class: "num" }, fixed(tuple.contribution)),
      ),
    );
  }

  /** @param {number} index */
  thumbnail(index) {
    const found = this.drawn?.tuples.find((t) => t.index === index);
    const node = found ? picture(found.svg) : h("span", {});
    node.setAttribute("class", "tuple-sketch");
    node.setAttribute("aria-hidden", "true");
    return node;
  }

  /** @param {number} index */
  select(index) {
    this.selected = index;
    for (const button of this.list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.tuple) === index));
    }
    const { answer, file } = this;
    const tuple = answer?.tuples.find((t) => t.index === index);
    const drawn = this.drawn?.tuples.find((t) => t.index === index);
    if (!answer || !file || !tuple || !drawn) return;
    const large = picture(drawn.svg);
    large.setAttribute("class", "tuple-large");
    replace(
      this.detail,
      h("div", { class: "tuple-picture" }, large),
      h(
        "div",
        { class: "tuple-facts" },
        h("h3", {}, `Tuple ${index + 1}`),
        h("p", { class: "muted small" }, `${tuple.cells.length} cells: ${tuple.cells.join(", ") || "none (bias)"}`),
        h("p", { class: "small" }, `adds ${fixed(tuple.contribution, 5)}`),
        h("p", { class: "muted small" }, weightsText(tuple.weights)),
      ),
    );
    this.lookUpTable.show(file, index, answer.player);
  }
}

/** @param {(number | null)[]} weights */
function weightsText(weights) {
  const shown = weights.slice(0, 8).map((w) => fixed(w));
  const more = weights.length > shown.length ? ` and ${weights.length - shown.length} more` : "";
  return weights.length === 1 ? `weight ${shown[0]}` : `weights (one per symmetry): ${shown.join(", ")}${more}`;
}

/**
 * A number, which is missing where the network has learned nonsense.
 *
 * @param {number | null} x
 */
function fixed(x, digits = 4) {
  return x !== null && Number.isFinite(x) ? x.toFixed(digits) : "-";
}
