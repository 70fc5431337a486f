// The way to the server: JSON requests whose errors are sentences, and the one stream of events of this tab.

/** What the server answered instead of a result; `message` is its sentence. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

async function request(method, path, { body, headers, signal } = {}) {
  let response;
  try {
    response = await fetch(path, { method, body, headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is boardlab arena still running?", 0);
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(`The server answered something unreadable (${response.status}).`, response.status);
  }
  if (!response.ok)
    throw new ApiError(answer?.error ?? `The server refused this (${response.status}).`, response.status);
  return answer;
}

/** GET; parameters that are null or undefined are left out. */
export function get(path, params = {}, { signal } = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  return request("GET", path + query, { signal });
}

function withBody(method) {
  return (path, body = {}, { signal } = {}) =>
    request(method, path, {
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
      signal,
    });
}

export const post = withBody("POST");
export const patch = withBody("PATCH");

/** DELETE. */
export function del(path) {
  return request("DELETE", path, { headers: { "Content-Type": "application/json" } });
}

/** Send the bytes of a file. */
export function upload(path, file) {
  return request("POST", path, { body: file, headers: { "Content-Type": "application/octet-stream" } });
}

// ---------------------------------------------------------------- events

const KINDS = ["table", "run", "match", "file", "record"];
const HIDDEN_MILLISECONDS = 20_000;
const listeners = new Map();
let stream = null;
let watched = null;
let retry = null;
let retryDelay = 500;
let hiddenTimer = null;

/** Hear the events of a kind (table, run, match, file, record; "open" whenever the stream is connected anew, so that a
 * view can fetch what it missed). Returns the function that stops it. */
export function listen(kind, callback) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(callback);
  if (!stream && !document.hidden) connect();
  return () => listeners.get(kind).delete(callback);
}

/** Which live game the stream carries; null for none. */
export function watchGame(id) {
  if (id === watched && stream) return;
  watched = id;
  connect();
}

function emit(kind, payload) {
  for (const callback of [...(listeners.get(kind) ?? [])]) callback(payload);
}

function connect() {
  disconnect();
  stream = new EventSource(`/api/events${watched ? `?table=${encodeURIComponent(watched)}` : ""}`);
  stream.onopen = () => {
    retryDelay = 500;
    emit("open", null);
  };
  stream.onerror = () => {
    disconnect();
    retry = setTimeout(connect, retryDelay);
    retryDelay = Math.min(10_000, retryDelay * 2);
  };
  for (const kind of KINDS) {
    stream.addEventListener(kind, (event) => emit(kind, JSON.parse(event.data)));
  }
}

function disconnect() {
  clearTimeout(retry);
  stream?.close();
  stream = null;
}

// A browser keeps few connections to one server: a tab that nobody looks at gives its one back.
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(disconnect, HIDDEN_MILLISECONDS);
  else if (!stream) connect();
});
window.addEventListener("pagehide", disconnect);
