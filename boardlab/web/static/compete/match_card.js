// One match as the page shows it: progress, standings with intervals, and its games.

import { del, get, post } from "../common/api.js";
import { confirmQuestion, h, icon, replace, toast, when } from "../common/dom.js";
import { count, gameWords, plural, score } from "../common/words.js";

const OVER = ["finished", "stopped", "failed"];
const LOOKS = { running: "busy", compiling: "busy", stopping: "busy", finished: "good", failed: "bad" };
const LISTED_GAMES = 60;
const MILLISECONDS_BETWEEN_LISTS = 2000;

export class MatchCard {
  constructor(match, { open, onremove }) {
    this.match = match;
    this.onremove = onremove;
    this.listed = 0;
    this.asked = -Infinity;
    this.badge = h("span", { class: "badge" });
    this.headline = h("span", { class: "muted run-headline" });
    this.bar = h("i");
    this.progress = h(
      "div",
      { class: "progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0 },
      this.bar,
    );
    this.message = h("p", { class: "notice", hidden: true });
    this.standings = h("div");
    this.games = h("div");
    this.actions = h("div", { class: "row" });
    this.element = h(
      "details",
      {
        class: "card run",
        open: open || !OVER.includes(match.state),
        dataset: { match: match.id },
        ontoggle: () => this.fillGames(),
      },
      h(
        "summary",
        {},
        h("div", { class: "run-title" }, h("strong", {}, match.agents.join(" \u2013 ")), this.badge),
        this.headline,
        this.progress,
      ),
      this.message,
      this.standings,
      this.games,
      this.actions,
    );
  }

  /** Show the match as the server last told it. */
  update(match) {
    this.match = match;
    const share = match.games ? match.done / match.games : 0;
    this.badge.textContent = match.state;
    this.badge.className = `badge ${LOOKS[match.state] ?? ""}`;
    this.element.dataset.state = match.state;
    this.headline.textContent = [
      gameWords(match.title, match.game),
      match.done < match.games ? `${count(match.done)} of ${plural(match.games, "game")}` : plural(match.games, "game"),
      `seed ${match.seed}`,
      when(match.created),
    ].join(" \u00b7 ");
    this.bar.style.width = `${100 * share}%`;
    this.progress.setAttribute("aria-valuenow", Math.round(100 * share));
    this.progress.hidden = match.state === "finished";
    this.message.textContent = match.message ?? "";
    this.message.hidden = !match.message;
    this.message.classList.toggle("error", match.state === "failed");
    replace(this.standings, match.done ? standingsTable(match) : h("p", { class: "empty" }, waitingWords(match.state)));
    this.fillGames();
    this.fillActions();
  }

  /** List the games that can be looked at; the server tells them of a single match only, so it is not asked often. */
  async fillGames() {
    const { id, state, done } = this.match;
    const due = OVER.includes(state) || performance.now() - this.asked > MILLISECONDS_BETWEEN_LISTS;
    if (!this.element.open || done === this.listed || !due) return;
    this.listed = done;
    this.asked = performance.now();
    let records = [];
    try {
      ({ records } = await get(`/api/matches/${id}`));
    } catch (error) {
      toast(error.message, "error");
    }
    const shown = records.slice(0, LISTED_GAMES);
    replace(
      this.games,
      shown.length ? h("h3", {}, "Games") : null,
      h(
        "div",
        { class: "game-links" },
        shown.map((record, i) =>
          h("a", { class: "game-link", href: `#/games/${record}`, "aria-label": `Game ${i + 1}` }, i + 1),
        ),
      ),
      records.length > shown.length
        ? h("p", { class: "muted" }, "The others are in the list of ", h("a", { href: "#/games" }, "games"), ".")
        : null,
    );
  }

  fillActions() {
    const { state } = this.match;
    if (state === this.actionsFor) return;
    this.actionsFor = state;
    const button = (text, look, name, onclick) =>
      h("button", { class: `button ${look}`, type: "button", onclick }, icon(name), text);
    replace(
      this.actions,
      OVER.includes(state)
        ? button("Delete", "ghost", "trash", () => this.remove())
        : button("Stop", "", "stop", () => this.stop()),
    );
  }

  async stop() {
    try {
      this.update(await post(`/api/matches/${this.match.id}/stop`));
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async remove() {
    const sure = await confirmQuestion({
      title: "Delete this match?",
      text: "Its standings and its games are lost.",
      action: "Delete",
      danger: true,
    });
    if (!sure) return;
    try {
      await del(`/api/matches/${this.match.id}`);
      this.onremove();
    } catch (error) {
      toast(error.message, "error");
    }
  }
}

function standingsTable(match) {
  const alone = match.standings.every((standing) => standing.success == null);
  const lows = match.standings.map((standing) => standing.low ?? 0);
  const highs = match.standings.map((standing) => standing.high ?? 0);
  const scale = { low: Math.min(...lows), high: Math.max(...highs) };
  const number = (label, ...content) => h("td", { class: "num", dataset: { label } }, h("div", {}, content));
  const head = ["Agent", "Mean score"].concat(alone ? [] : ["Won, drawn, lost", "Success"]);
  const row = (standing) =>
    h(
      "tr",
      {},
      h("td", { class: "cell-title" }, h("strong", {}, standing.name), roles(standing, match.players)),
      number("Mean score", score(standing.mean), standing.mean == null ? null : interval(standing, scale)),
      alone
        ? null
        : [
            number("Won, drawn, lost", [standing.won, standing.drawn, standing.lost].map(count).join(" \u00b7 ")),
            number("Success", standing.success == null ? "\u2013" : `${(100 * standing.success).toFixed(1)} %`),
          ],
    );
  return h(
    "div",
    { class: "table-wrap" },
    h(
      "table",
      { class: "table narrow-flow standings" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text, i) => h("th", { scope: "col", class: i ? "num" : null }, text)),
        ),
      ),
      h("tbody", {}, match.standings.map(row)),
    ),
  );
}

/** The mean score on each seat, where there is more than one. */
function roles(standing, players) {
  if (players.length < 2) return null;
  const known = standing.roles.map((mean, seat) => (mean == null ? null : `as ${players[seat]} ${score(mean)}`));
  return h("div", { class: "muted" }, known.filter(Boolean).join(" \u00b7 "));
}

/** The 95 % interval in figures, and as a bar with the mean in it on the scale of all agents of the match. */
function interval({ mean, low, high }, scale) {
  const width = scale.high - scale.low || 1;
  const place = (value) => `${(100 * (value - scale.low)) / width}%`;
  return [
    h("span", { class: "muted", title: "95 % interval" }, ` (${score(low)} to ${score(high)})`),
    h(
      "div",
      { class: "interval", "aria-hidden": "true" },
      h("i", { style: { left: place(low), right: `${100 - (100 * (high - scale.low)) / width}%` } }),
      h("b", { style: { left: place(mean) } }),
    ),
  ];
}

function waitingWords(state) {
  return state === "compiling"
    ? "Compiling the game: this happens once."
    : OVER.includes(state)
      ? "No game was played."
      : "The first game is being played.";
}
