// The connection that carries the server's events, opened again when it breaks. It belongs to the worker that all tabs of
// a browser share (shared_stream.js), or to a tab alone where there is no such worker.

/** What the server tells of. */
export const KINDS = ["table", "run", "match", "tournament", "file", "record", "league"];

const FIRST_RETRY = 500; // milliseconds
const LAST_RETRY = 10_000;

/** @typedef {(kind: string, payload: any) => void} Tell "open" and "away" are the stream's own words */

export class EventStream {
  /** @param {Tell} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {string[]} */
    this.tables = [];
    this.connected = false;
    this.retry = 0;
    this.delay = FIRST_RETRY;
  }

  /**
   * Carry the events of these live games, and all others. Games that nobody looks at any more do no harm, so only a new
   * one needs a new connection.
   *
   * @param {string[]} tables
   */
  watch(tables) {
    if (this.source && tables.every((id) => this.tables.includes(id))) return;
    this.tables = tables;
    this.connect();
  }

  connect() {
    this.close();
    const query = new URLSearchParams(this.tables.map((id) => ["table", id]));
    this.source = new EventSource(`/api/events?${query}`);
    this.source.onopen = () => {
      this.delay = FIRST_RETRY;
      this.connected = true;
      this.tell("open", null);
    };
    this.source.onerror = () => {
      this.close();
      this.tell("away", null);
      this.retry = setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(LAST_RETRY, this.delay * 2);
    };
    for (const kind of KINDS) {
      this.source.addEventListener(kind, (event) => this.tell(kind, JSON.parse(event.data)));
    }
  }

  close() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
    this.connected = false;
  }
}
