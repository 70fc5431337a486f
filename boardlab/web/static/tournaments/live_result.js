// The result of a tournament while it is played: asked for again when there are more games, and not too often.

import { get } from "../common/api.js";

const PATIENCE = 1500; // milliseconds between two results
const FACTOR = 4; // of the time that the server takes for one

export class LiveResult {
  /**
   * @param {string} id
   * @param {(result: Api.TournamentResult) => void} onresult
   */
  constructor(id, onresult) {
    this.id = id;
    this.onresult = onresult;
    this.known = ""; // games and state of the result that is shown
    this.busy = false;
    this.timer = 0;
    /** @type {Api.Tournament | null} */
    this.latest = null;
  }

  /**
   * The tournament stands so now.
   *
   * @param {Api.Tournament} tournament
   */
  update(tournament) {
    this.latest = tournament;
    if (!this.busy && tournament.done > 0 && this.keyOf(tournament) !== this.known) this.ask();
  }

  /** @param {Api.Tournament} tournament */
  keyOf({ done, state }) {
    return `${done} ${["finished", "stopped", "failed"].includes(state)}`;
  }

  async ask() {
    const asked = /** @type {Api.Tournament} */ (this.latest);
    this.busy = true;
    const begin = performance.now();
    try {
      const result = await get(`/api/tournaments/${this.id}/result`);
      this.known = this.keyOf(asked);
      if (this.busy) this.onresult(result);
    } catch {
      this.known = ""; // it was deleted, or the server is away; the next news asks again
    }
    const wait = Math.max(PATIENCE, FACTOR * (performance.now() - begin));
    this.timer = setTimeout(() => {
      this.busy = false;
      if (this.latest && this.known) this.update(this.latest);
    }, wait);
  }

  close() {
    clearTimeout(this.timer);
    this.busy = false;
    this.latest = null;
  }
}
