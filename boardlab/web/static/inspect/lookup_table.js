// A look-up table of an n-tuple network, page by page: which cell values an entry stands for, its weight, and whether
// learning ever came there.

import { get } from "../common/api.js";
import { iconButton } from "../common/buttons.js";
import { h, number, replace } from "../common/dom.js";

const ROWS = 12;

export class LookUpTable {
  constructor() {
    this.turn = 0;
    /** @type {{ file: string, tuple: number } | null} */
    this.place = null;
    this.offset = 0;
    this.order = h(
      "select",
      { "aria-label": "Sort order", onchange: () => this.from(0) },
      h("option", { value: "weight" }, "Largest weights first"),
      h("option", { value: "visits" }, "Visited entries first"),
      h("option", { value: "index" }, "By index"),
    );
    this.player = h("select", { "aria-label": "Player", hidden: true, onchange: () => this.from(0) });
    this.back = iconButton("Previous page", "previous", () => this.from(this.offset - ROWS));
    this.on = iconButton("Next page", "next", () => this.from(this.offset + ROWS));
    this.where = h("span", { class: "muted small num" });
    this.body = h("tbody", {});
    this.element = h(
      "div",
      { class: "lookup" },
      h("h3", {}, "Look-up table"),
      h("div", { class: "lookup-controls" }, this.order, this.player),
      h(
        "div",
        { class: "table-wrap" },
        h(
          "table",
          { class: "table" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { class: "num" }, "index"),
              h("th", {}, "cells"),
              h("th", { class: "num" }, "weight"),
              h("th", {}, "visited"),
            ),
          ),
          this.body,
        ),
      ),
      h("div", { class: "row apart" }, this.where, h("div", { class: "row" }, this.back, this.on)),
    );
  }

  stop() {
    this.turn++;
  }

  /**
   * @param {string} file
   * @param {number} tuple
   * @param {number} player
   */
  show(file, tuple, player) {
    const same = this.place?.file === file && this.place.tuple === tuple;
    this.place = { file, tuple };
    if (!same) this.player.value = String(player);
    this.from(same ? this.offset : 0, player);
  }

  /** @param {number} offset */
  async from(offset, player = Number(this.player.value || 0)) {
    if (!this.place) return;
    const turn = ++this.turn;
    this.offset = Math.max(0, offset);
    const query = { player, tuple: this.place.tuple, offset: this.offset, limit: ROWS, order: this.order.value };
    try {
      const answer = await get(`/api/files/${this.place.file}/table`, query);
      if (turn === this.turn) this.showPage(answer, player);
    } catch (error) {
      if (turn !== this.turn) return;
      replace(this.body, h("tr", {}, h("td", { colspan: 4, class: "muted" }, error.message)));
    }
  }

  /**
   * @param {Api.LookupTablePage} page
   * @param {number} player
   */
  showPage({ size, rows, players }, player) {
    this.player.hidden = players < 2;
    if (this.player.options.length !== players) {
      replace(
        this.player,
        Array.from({ length: players }, (_, i) => h("option", { value: i }, `Player ${i + 1}`)),
      );
    }
    this.player.value = String(player);
    replace(
      this.body,
      rows.map((row) =>
        h(
          "tr",
          {},
          h("td", { class: "num" }, number(row.index)),
          h("td", { class: "cells" }, row.text),
          h("td", { class: "num" }, row.weight === null ? "-" : row.weight.toFixed(5)),
          h("td", {}, row.visited ? "yes" : "no"),
        ),
      ),
    );
    const last = Math.min(size, this.offset + rows.length);
    this.where.textContent = rows.length
      ? `${number(this.offset + 1)} to ${number(last)} of ${number(size)}`
      : "no entries";
    this.back.disabled = this.offset === 0;
    this.on.disabled = last >= size || rows.length < ROWS;
  }
}
