// A worker that all tabs of a browser share, so that they need one stream of events and not one each: a browser keeps
// six connections to a server, and a seventh tab would wait for ever.

import { EventStream } from "./event_stream.js";

/** @type {Map<MessagePort, string | null>} the tabs that listen, and the live game that each of them looks at */
const tabs = new Map();

const stream = new EventStream((kind, payload) => {
  for (const [port, table] of tabs) {
    if (kind !== "table" || payload.id === table) port.postMessage({ kind, payload });
  }
});

/**
 * A tab looks at a live game or at none, or listens no more.
 *
 * @param {MessagePort} port
 * @param {{ watch?: string | null, leave?: boolean }} wish
 */
function hear(port, { watch = null, leave = false }) {
  if (leave) tabs.delete(port);
  else tabs.set(port, watch);
  if (!tabs.size) return stream.close();
  const before = stream.source;
  stream.watch([...new Set([...tabs.values()].filter((id) => id !== null))].sort());
  if (!leave && stream.source === before && stream.connected) port.postMessage({ kind: "open", payload: null });
}

self.addEventListener("connect", (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  port.onmessage = (message) => hear(port, message.data);
});
