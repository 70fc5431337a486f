// One tournament in the list: how far it is, the rating list as it is now, and the way to its own page.

import { LiveCard } from "../cards/live_card.js";
import { post } from "../common/api.js";
import { h, icon, replace, when } from "../common/dom.js";
import { gameWords, plural } from "../common/words.js";
import { LiveResult } from "./live_result.js";
import { ratingTable } from "./tables.js";
import { FORMATS, gamesWords, waitingWords } from "./words.js";

/** @extends {LiveCard<Api.Tournament>} */
export class TournamentCard extends LiveCard {
  /**
   * @param {Api.Tournament} tournament
   * @param {CardPlace} place
   */
  constructor(tournament, { open, onremove }) {
    super(tournament, `${gameWords(tournament.title, tournament.game)}, ${FORMATS[tournament.format]}`, {
      open,
      onremove,
    });
    if (!this.isOver) this.element.open = true;
    this.result = new LiveResult(tournament.id, (result) => replace(this.body, ratingTable(result, true)));
  }

  share() {
    return this.item.games ? this.item.done / this.item.games : 0;
  }

  summary() {
    const { entrants, created } = this.item;
    return [plural(entrants.length, "agent"), gamesWords(this.item), when(created)];
  }

  fill() {
    if (!this.item.done) replace(this.body, h("p", { class: "empty" }, waitingWords(this.item, this.isOver)));
    this.opened();
  }

  opened() {
    if (this.element.open) this.result.update(this.item);
  }

  buttons() {
    const { id } = this.item;
    return [
      h("a", { class: "button primary", href: `#/tournaments/${id}` }, icon("games"), "Crosstable, games, downloads"),
      tournamentButtons(this),
    ];
  }

  close() {
    this.result.close();
    super.close();
  }
}

/**
 * Stop, go on, delete: what the state allows.
 *
 * @param {LiveCard<Api.Tournament>} card
 */
export function tournamentButtons(card) {
  const { id, state } = card.item;
  const ask = (/** @type {"stop" | "resume"} */ what) => card.showAnswer(post(`/api/tournaments/${id}/${what}`));
  return [
    !card.isOver && card.button("Stop", "", "stop", () => ask("stop")),
    (state === "stopped" || state === "failed") && card.button("Go on", "", "play", () => ask("resume")),
    card.isOver && card.button("Delete", "ghost", "trash", () => removal(card, id)),
  ];
}

/**
 * @param {LiveCard<Api.Tournament>} card
 * @param {string} id
 */
function removal(card, id) {
  return card.remove(`/api/tournaments/${id}`, {
    title: "Delete this tournament?",
    text: "Its result and its games are deleted.",
  });
}
