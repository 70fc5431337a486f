// A page with live cards, newest first, beside the form that starts another: training runs, matches, tournaments. The list follows
// what the server says, so that it survives a reload and shows what other tabs start.

import { listen } from "../common/api.js";
import { h, replace } from "../common/dom.js";

/**
 * @template {LiveItem} T
 * @typedef {import("./live_card.js").LiveCard<T>} Card
 */

/** @template {LiveItem} T */
export class CardList {
  /**
   * @param {object} options
   * @param {string} options.label what the cards are, for those who cannot see them
   * @param {string} options.empty what is said while there are none
   * @param {string | undefined} options.wanted the id of a card that begins open
   * @param {(item: T, place: CardPlace) => Card<T>} options.make
   */
  constructor({ label, empty, wanted, make }) {
    this.wanted = wanted;
    this.make = make;
    /** @type {Map<string, Card<T>>} */
    this.cards = new Map();
    this.nothing = h("p", { class: "empty" }, empty);
    this.list = h("div", { class: "stack" });
    this.element = h("section", { class: "stack", "aria-label": label }, this.nothing, this.list);
  }

  /**
   * Hear of changes; returns what ends it.
   *
   * @param {"run" | "match" | "tournament"} kind
   * @param {() => Promise<T[]>} askAll what is there after the connection was lost
   */
  follow(kind, askAll) {
    const stops = [
      listen(kind, (news) => {
        if (news.deleted) this.remove(news.id);
        else this.show(/** @type {any} */ (news));
      }),
      listen("open", async () => this.setAll(await askAll())),
    ];
    return () => {
      for (const stop of stops) stop();
      for (const card of this.cards.values()) card.close();
    };
  }

  /**
   * These are all that there are.
   *
   * @param {T[]} items
   */
  setAll(items) {
    const present = new Set(items.map((item) => item.id));
    for (const id of this.cards.keys()) if (!present.has(id)) this.remove(id);
    for (const item of [...items].sort((a, b) => a.created.localeCompare(b.created))) this.show(item);
    const newestFirst = [...this.cards.values()].reverse();
    if (newestFirst.length && !newestFirst.some((card) => card.element.open)) newestFirst[0].element.open = true;
  }

  /**
   * Show an item as it stands now; a new one comes on top, and in sight if the person just `asked` for it.
   *
   * @param {T} item
   */
  show(item, asked = false) {
    let card = this.cards.get(item.id);
    if (!card) {
      card = this.make(item, { open: asked || item.id === this.wanted, onremove: () => this.remove(item.id) });
      this.cards.set(item.id, card);
      this.list.prepend(card.element);
      if (asked) card.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
    card.update(item);
    this.nothing.hidden = true;
  }

  /** @param {string} id */
  remove(id) {
    this.cards.get(id)?.close();
    this.cards.delete(id);
    this.nothing.hidden = this.cards.size > 0;
  }
}

/**
 * Lay out such a page.
 *
 * @param {HTMLElement} root
 * @param {object} parts
 * @param {string} parts.title of the page
 * @param {string} parts.heading of the form
 * @param {HTMLElement} parts.form
 * @param {boolean} parts.open whether the form begins open on a small screen too
 * @param {HTMLElement} parts.list
 * @param {Child} [parts.links] to what belongs to it
 */
export function showCardPage(root, { title, heading, form, open, list, links }) {
  const wide = matchMedia("(min-width: 900px)").matches;
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, title), h("div", { class: "row" }, links)),
      h(
        "div",
        { class: "split" },
        h("details", { class: "card new-item", open: open || wide }, h("summary", {}, h("h2", {}, heading)), form),
        list,
      ),
    ),
  );
}
