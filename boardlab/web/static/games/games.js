// Games: every game that was played is kept; here they are listed, and one of them is replayed move by move.

import { get, listen } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { go, h, icon, keepAddress, replace, when } from "../common/dom.js";
import { count, gameWords, plural, resultWords, seatWords } from "../common/words.js";
import { importButton } from "./import_game.js";
import { deleteGame, showReplay } from "./replay.js";

const PAGE = 50;
/** @type {Columns} */
const COLUMNS = { Game: "text", Players: "text", Result: "num", Plies: "num", Played: "num", "": "text" };

/** The tabs above the list of games and the hall of fame. */
export function gameTabs(current) {
  const tab = (name, title) =>
    h("a", { class: "tab", href: `#/${name}`, "aria-current": name === current ? "page" : null }, title);
  return h("div", { class: "tabs" }, tab("games", "Games"), tab("hall", "Hall of fame"));
}

/**
 * The view `#/games`, and `#/games/RECORD` for one game; `?game=SPEC` shows only those of a game, `source`
 * those from live games (table) or matches (match), `from` begins later in the list.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path.length) return showReplay(root, path[0], query);
  const view = new GamesView(query);
  replace(root, view.element);
  await view.load();
  const stops = [listen("record", () => view.load()), listen("open", () => view.load())];
  return () => stops.forEach((stop) => stop());
}

class GamesView {
  /** @param {URLSearchParams} query */
  constructor(query) {
    this.game = query.get("game") ?? "";
    this.offset = Math.max(0, Math.floor(Number(query.get("from")) || 0));
    this.asked = 0;
    this.filter = h("select", { "aria-label": "Game", onchange: () => this.choose(this.filter.value) });
    this.source = h(
      "select",
      { "aria-label": "Source", onchange: () => this.choose(this.game) },
      h("option", { value: "" }, "All sources"),
      h("option", { value: "table" }, "Live games"),
      h("option", { value: "match" }, "Matches"),
    );
    if (query.get("source") === "table" || query.get("source") === "match")
      this.source.value = query.get("source") ?? "";
    this.total = h("span", { class: "muted" });
    this.export = h(
      "a",
      {
        class: "icon-button",
        download: "",
        title: "Export these games as JSON Lines",
        "aria-label": "Export these games as JSON Lines",
      },
      icon("download"),
    );
    this.list = h("div");
    this.newer = this.turner("Newer", "previous", -PAGE);
    this.older = this.turner("Older", "next", PAGE);
    this.pages = h("div", { class: "row" }, this.newer, this.older);
    this.element = h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, "Games"),
        h("div", { class: "row" }, this.total, this.source, this.filter, importButton(), this.export),
      ),
      gameTabs("games"),
      this.list,
      this.pages,
    );
  }

  turner(text, name, step) {
    const turn = () => {
      this.offset = Math.max(0, this.offset + step);
      this.keep();
      this.load();
      window.scrollTo(0, 0);
    };
    return h("button", { class: "button", type: "button", onclick: turn }, icon(name), text);
  }

  async choose(game) {
    this.game = game;
    this.offset = 0;
    this.keep();
    await this.load();
  }

  keep() {
    keepAddress("games", { game: this.game, source: this.source.value, from: this.offset || null });
  }

  async load() {
    const turn = ++this.asked;
    const wanted = { game: this.game || null, source: this.source.value || null, limit: PAGE, offset: this.offset };
    const { total, records, games } = await get("/api/records", wanted);
    if (turn !== this.asked) return;
    replace(
      this.filter,
      h("option", { value: "" }, "All games"),
      games.map((g) => h("option", { value: g.game, selected: g.game === this.game }, gameWords(g.title, g.game))),
    );
    this.filter.hidden = games.length < 2 && !this.game;
    const end = this.offset + records.length;
    this.total.textContent =
      total > PAGE ? `${this.offset + 1} to ${end} of ${plural(total, "game")}` : plural(total, "game");
    this.pages.hidden = total <= PAGE;
    const chosen = Object.entries({ game: this.game, source: this.source.value }).filter(([, value]) => value);
    this.export.href = `/api/records/export?${new URLSearchParams(chosen)}`;
    this.export.hidden = total === 0;
    this.newer.disabled = this.offset === 0;
    this.older.disabled = end >= total;
    replace(this.list, records.length ? this.table(records) : nothing());
  }

  /** @param {Api.Record[]} records */
  table(records) {
    const rows = records.map((record) => this.row(record));
    return h("div", { class: "table-wrap card" }, dataTable("narrow-flow row-links", COLUMNS, rows));
  }

  /** @param {Api.Record} record */
  row(record) {
    const cell = (label, content) => h("td", { dataset: { label }, class: "num" }, content);
    const href = `#/games/${record.id}`;
    return h(
      "tr",
      { dataset: { record: record.id }, onclick: (event) => event.target.closest("a, button") || go(href) },
      h("td", { class: "cell-title" }, h("a", { href }, gameWords(record.title, record.game))),
      h("td", { class: "cell-line" }, seatWords(record)),
      cell("Result", resultWords(record)),
      cell("Plies", count(record.plies)),
      cell(
        "Played",
        h(
          "span",
          {},
          when(record.created),
          record.source === "match" ? h("span", { class: "muted" }, " in a match") : null,
        ),
      ),
      h(
        "td",
        { class: "cell-actions" },
        h(
          "div",
          { class: "row tight" },
          h("a", { class: "icon-button", href, title: "Replay", "aria-label": "Replay this game" }, icon("play")),
          h(
            "a",
            {
              class: "icon-button",
              href: `/api/records/${record.id}/export`,
              download: "",
              title: "Export as JSON",
              "aria-label": "Export this game as JSON",
            },
            icon("download"),
          ),
          h(
            "button",
            {
              class: "icon-button",
              type: "button",
              title: "Delete",
              "aria-label": "Delete this game",
              onclick: () => deleteGame(record, () => this.load()),
            },
            icon("trash"),
          ),
        ),
      ),
    );
  }
}

function nothing() {
  return h("div", { class: "empty" }, h("p", {}, "No stored games yet."), h("p", {}, "Finished games appear here."));
}
