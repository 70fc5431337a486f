// A game for two people on two devices: a link to send, seats that belong to whoever took them, and spectators.

import { get, post } from "../common/api.js";
import { h, openDialog, recall, remember, replace, toast } from "../common/dom.js";
import { qrPicture } from "../common/qr_code.js";
import { ownSeat } from "./status.js";

const TURNS = ["first", "second", "third"];

export class Sharing {
  /**
   * @param {Api.LiveGameView} view
   * @param {(view: Api.LiveGameView) => void} onchange is called with a newer view, and when the own seats are known
   */
  constructor(view, onchange) {
    this.view = view;
    this.onchange = onchange;
    /** @type {number[]} */
    this.mine = [];
    this.element = h("div", { class: "sharing", role: "status" });
    this.shownKey = ""; // what the element tells of
    if (view.shared) this.find();
  }

  /** Which seats are those of this browser. */
  async find() {
    this.mine = await get(`/api/tables/${this.view.id}/mine`);
    this.onchange(this.view);
  }

  /** Whether the person here may move for this seat. */
  mayPlay(seat) {
    return !this.view.shared || this.mine.includes(seat);
  }

  /** The seat of the person here, who is "you" on the page; null where there is none, or several. */
  get me() {
    if (!this.view.shared) return ownSeat(this.view);
    return this.mine.length === 1 ? this.mine[0] : null;
  }

  /** @param {Api.LiveGameView} view */
  update(view) {
    this.view = view;
    const free = view.seats.findIndex((seat) => seat.free);
    const watching = view.shared && !this.mine.length;
    const key = `${view.shared} ${watching} ${free}`;
    if (key === this.shownKey) return; // a guest may be typing
    this.shownKey = key;
    replace(
      this.element,
      view.shared &&
        free >= 0 &&
        !watching &&
        h("p", { class: "notice" }, "Waiting for somebody to open the invitation link."),
      watching && free >= 0 && this.offer(free),
      watching && free < 0 && h("p", { class: "notice" }, "You are watching this game."),
    );
  }

  /** @param {number} seat */
  offer(seat) {
    const name = h("input", { type: "text", id: "guest-name", maxlength: 40, value: recall("name") ?? "Guest" });
    const take = async (event) => {
      event.preventDefault();
      remember("name", name.value);
      try {
        const view = await post(`/api/tables/${this.view.id}/claim`, { seat, name: name.value || "Guest" });
        this.mine = [...this.mine, seat];
        this.onchange(view);
      } catch (error) {
        toast(error.message, "error");
      }
    };
    return h(
      "form",
      { class: "notice", onsubmit: take },
      h("label", { for: "guest-name" }, `You would move ${TURNS[seat] ?? "later"}. Your name:`),
      name,
      h("button", { class: "button primary" }, "Take the seat"),
    );
  }

  /** Share the game, if it is not yet, and show the link. */
  async invite() {
    try {
      if (!this.view.shared) {
        const view = await post(`/api/tables/${this.view.id}/share`);
        this.view = view;
        await this.find();
        this.onchange(view);
      }
    } catch (error) {
      toast(error.message, "error");
      return;
    }
    const link = h("input", { type: "text", readonly: true, id: "invitation", value: location.href });
    const copy = async () => {
      link.select();
      await navigator.clipboard?.writeText(link.value);
      toast("The link was copied.");
    };
    openDialog("Invite somebody", () =>
      h(
        "div",
        { class: "stack" },
        h("p", {}, "Whoever opens this link first takes the free seat; all others watch."),
        h("div", { class: "field" }, h("label", { for: "invitation" }, "Link"), link),
        qrPicture(location.href),
        ["localhost", "127.0.0.1"].includes(location.hostname) &&
          h(
            "p",
            { class: "muted small" },
            "This address is that of your own machine. For other devices in the same network, open the arena with ",
            h("code", {}, "boardlab arena --host 0.0.0.0"),
            " and by the address of your machine.",
          ),
        h("div", { class: "row end" }, h("button", { class: "button primary", type: "button", onclick: copy }, "Copy")),
      ),
    );
  }
}
