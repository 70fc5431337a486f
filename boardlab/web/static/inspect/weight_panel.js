// The weights of the features that an agent looks at, by their names, the heaviest first.

import { get } from "../common/api.js";
import { h, replace } from "../common/dom.js";

export class WeightPanel {
  constructor() {
    this.turn = 0;
    /** @type {string | null} */
    this.file = null;
    this.title = h("h2", {}, "Weights");
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.element = h(
      "section",
      { class: "card weights-card", hidden: true },
      this.title,
      h("div", { class: "table-wrap" }, h("table", { class: "table" }, this.head, this.body)),
    );
  }

  stop() {
    this.turn++;
  }

  /**
   * Show the weights of the first of these agents that comes from a file, if they have names.
   *
   * @param {ChosenAgent[]} agents that are inspected
   * @param {string[]} players their names
   */
  async show(agents, players) {
    const agent = agents.find((a) => a.choice.file);
    const file = agent?.choice.file ?? null;
    if (file === this.file) return;
    this.file = file;
    this.element.hidden = true;
    const turn = ++this.turn;
    if (!agent || !file) return;
    const { rows } = await get(`/api/files/${file}/weights`).catch(() => ({ rows: [] }));
    if (turn !== this.turn || !rows.length) return;
    this.title.textContent = `Weights of ${agent.label}`;
    this.showRows(rows, players);
    this.element.hidden = false;
  }

  /**
   * @param {Api.FeatureLine[]} rows
   * @param {string[]} players
   */
  showRows(rows, players) {
    const outputs = Math.max(...rows.map(({ weights }) => weights.length));
    const heaviest = ({ weights }) => Math.max(0, ...weights.map((w) => Math.abs(w ?? 0)));
    const titles =
      outputs === players.length && outputs > 1
        ? players
        : Array.from({ length: outputs }, (_, i) => (outputs === 1 ? "weight" : String(i + 1)));
    replace(
      this.head,
      h(
        "tr",
        {},
        h("th", {}, "feature"),
        titles.map((title) => h("th", { class: "num" }, title)),
      ),
    );
    replace(
      this.body,
      [...rows]
        .sort((a, b) => heaviest(b) - heaviest(a))
        .map(({ name, weights }) =>
          h(
            "tr",
            {},
            h("td", {}, name),
            weights.map((w) => h("td", { class: "num" }, w === null ? "-" : w.toFixed(4))),
          ),
        ),
    );
  }
}
