// The league of one game: its switch, the table of agents with the form to enter one, how the ratings went, the ladder of
// people, and the last games.

import { get, listen, post } from "../common/api.js";
import { h, icon, replace, toast } from "../common/dom.js";
import { gameWords, plural } from "../common/words.js";
import { EntryForm } from "./entry_form.js";
import { gameTable, memberTable, peopleTable } from "./league_tables.js";
import { showPerson } from "./person.js";
import { RatingChart } from "./rating_chart.js";

const PAUSE = 1000; // milliseconds between two looks at a league that plays
const GAMES = 10;

/** @type {{ [state in Api.LeagueView["state"]]: (league: Api.LeagueView) => string }} */
const STATES = {
  off: () => "Switched off.",
  few: ({ needed }) => `At least ${needed} agents have to take part before games can be played.`,
  settled: () => "No game would tell much more about these agents, so the league rests until one enters or learns.",
  waiting: () => "Waits until the machine has been idle for a while.",
  playing: () => "Playing.",
};

/**
 * @param {HTMLElement} root
 * @param {string} game
 */
export async function showLeague(root, game) {
  const page = new LeaguePage(game);
  await page.load();
  replace(root, page.element);
  await page.form.setGame();
  page.chart.draw();
  const news = () => page.loadSoon();
  const stops = [
    listen("league", ({ id }) => id === page.game && news()),
    listen("open", news),
    listen("file", () => (news(), page.form.setGame())),
  ];
  return () => {
    stops.forEach((stop) => stop());
    page.leave();
  };
}

class LeaguePage {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    this.asked = 0;
    this.timer = 0;
    this.left = false;
    this.title = h("h1", {}, "League");
    this.switch = h("input", { type: "checkbox", class: "switch", onchange: () => this.turn(this.switch.checked) });
    this.state = h("p", { class: "muted", role: "status" });
    this.problem = h("p", { class: "notice error", hidden: true });
    this.members = h("div");
    this.games = h("div");
    this.people = h("div");
    this.plot = h("div", { class: "plot league-plot" });
    this.chart = new RatingChart(this.plot, "games of the league");
    this.form = new EntryForm(game, () => this.load());
    this.element = h(
      "div",
      { class: "page" },
      this.head(),
      h(
        "section",
        { class: "card stack" },
        h("label", { class: "check league-switch" }, this.switch, h("span", {}, "Play while the machine is idle")),
        this.state,
        this.problem,
      ),
      h("section", { class: "card stack" }, h("h2", {}, "Agents"), this.members, this.form.element),
      h("section", { class: "card stack" }, h("h2", {}, "Ratings over time"), this.plot),
      h(
        "section",
        { class: "card stack" },
        h("h2", {}, "People"),
        h(
          "p",
          { class: "muted" },
          "Games of one person against agents count here, once each, if no move was taken back and nobody was asked for" +
            " help. Agents are worth what the table above says, others 1500 \u00b1 686.",
        ),
        this.people,
      ),
      h("section", { class: "card stack" }, h("h2", {}, "Last games"), this.games),
    );
  }

  head() {
    const all = { class: "icon-button", href: "#/league", title: "All leagues", "aria-label": "All leagues" };
    return h("div", { class: "page-head with-back" }, h("a", all, icon("back")), this.title);
  }

  leave() {
    this.left = true;
    clearTimeout(this.timer);
    this.chart.close();
  }

  /** What is new comes together, not game by game. */
  loadSoon() {
    if (this.timer || this.left) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.load().catch((error) => toast(error.message, "error"));
    }, PAUSE);
  }

  async load() {
    const turn = ++this.asked;
    const game = { game: this.game };
    const [league, history, games, people] = await Promise.all([
      get("/api/league", game),
      get("/api/league/history", game),
      get("/api/league/games", { ...game, limit: GAMES }),
      get("/api/league/people", game),
    ]);
    if (turn !== this.asked || this.left) return;
    this.game = league.game;
    this.fillHead(league);
    replace(
      this.members,
      memberTable(league.members, (member) => this.withdraw(member), this.enterAgain()),
    );
    replace(this.games, gameTable(games));
    replace(
      this.people,
      peopleTable(people, (person) => showPerson(this.game, person)),
    );
    this.chart.set(
      history
        .filter(({ points, withdrawn }) => points.length > 0 && !withdrawn)
        .map(({ label, points }) => ({ name: label, points })),
    );
  }

  /** @param {Api.LeagueView} league */
  fillHead(league) {
    const { title, game, plays, allowed, state, problem, games } = league;
    this.title.textContent = `League of ${gameWords(title, game)}`;
    document.title = `${this.title.textContent} - boardlab`;
    this.switch.checked = plays;
    this.switch.disabled = !allowed || league.seed === null;
    const words = allowed ? STATES[state](league) : "This arena was opened with league=false, so no league plays.";
    this.state.textContent = `${plural(games, "game")} so far. ${words}`;
    this.problem.textContent = problem ? `It was switched off: ${problem}` : "";
    this.problem.hidden = !problem;
  }

  /** @param {boolean} plays */
  async turn(plays) {
    try {
      await post("/api/league/switch", { game: this.game, plays });
    } catch (error) {
      toast(error.message, "error");
    }
    await this.load();
  }

  /** @param {Api.MemberLine} member */
  async withdraw(member) {
    try {
      await post(`/api/league/members/${member.id}/withdraw`);
    } catch (error) {
      toast(error.message, "error");
    }
    await this.load();
  }

  enterAgain() {
    return async (/** @type {Api.MemberLine} */ member) => {
      try {
        await this.form.enter(member.choice);
      } catch (error) {
        toast(error.message, "error");
      }
    };
  }
}
