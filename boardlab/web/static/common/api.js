// The way to the server: JSON requests whose errors are sentences, and the one stream of events of this tab.

// What it takes and answers is known to the checker of this code by the types `Api`, which tools/api_types.py makes from
// the models of the server.

/** @typedef {{ signal?: AbortSignal }} Options */

/** What the server answered instead of a result; `message` is its sentence. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {number} status of HTTP; 0 where there was no answer
   */
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: BodyInit, headers?: { [name: string]: string } } & Options} options
 * @returns {Promise<any>}
 */
async function request(method, path, { body, headers, signal }) {
  let response;
  try {
    response = await fetch(path, { method, body, headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not respond. Is boardlab arena still running?", 0);
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(`The server's answer cannot be read (${response.status}).`, response.status);
  }
  if (!response.ok)
    throw new ApiError(answer?.error ?? `The server refused the request (${response.status}).`, response.status);
  return answer;
}

/**
 * GET; parameters that are null or undefined are left out.
 *
 * @template {Api.GetPath} P
 * @param {P} path
 * @param {Api.GetBody<P>} [params]
 * @param {Options} [options]
 * @returns {Promise<Api.GetAnswer<P>>}
 */
export function get(path, params, { signal } = {}) {
  const given = Object.entries(params ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return request("GET", given.length ? `${path}?${query}` : path, { signal });
}

/**
 * POST.
 *
 * @template {Api.PostPath} P
 * @param {P} path
 * @param {Api.PostBody<P>} [body]
 * @param {Options} [options]
 * @returns {Promise<Api.PostAnswer<P>>}
 */
export function post(path, body, options) {
  return sendJson("POST", path, body, options);
}

/**
 * PATCH.
 *
 * @template {Api.PatchPath} P
 * @param {P} path
 * @param {Api.PatchBody<P>} body
 * @returns {Promise<Api.PatchAnswer<P>>}
 */
export function patch(path, body) {
  return sendJson("PATCH", path, body);
}

/**
 * DELETE.
 *
 * @param {Api.DeletePath} path
 */
export function del(path) {
  return request("DELETE", path, { headers: { "Content-Type": "application/json" } });
}

/**
 * Send the bytes of an agent file.
 *
 * @param {string} name
 * @param {Blob} file
 * @returns {Promise<Api.PostAnswer<"/api/files">>}
 */
export function upload(name, file) {
  const headers = { "Content-Type": "application/octet-stream" };
  return request("POST", `/api/files?${new URLSearchParams({ name })}`, { body: file, headers });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {Options} [options]
 */
function sendJson(method, path, body = {}, { signal } = {}) {
  return request(method, path, {
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    signal,
  });
}

// ---------------------------------------------------------------- events

/**
 * What the events of each kind carry. "open" comes whenever the stream is connected anew, so that a view can fetch what
 * it missed.
 *
 * @typedef {object} Events
 * @property {Api.LiveGameView} table
 * @property {Api.Run & { deleted?: boolean }} run
 * @property {Api.Match & { deleted?: boolean }} match
 * @property {any} file
 * @property {any} record
 * @property {null} open
 */

/** @type {(keyof Events)[]} */
const KINDS = ["table", "run", "match", "file", "record"];
const HIDDEN_MILLISECONDS = 20_000;
/** @type {Map<keyof Events, Set<(payload: any) => void>>} */
const listeners = new Map();
/** @type {EventSource | null} */
let stream = null;
/** @type {string | null} */
let watched = null;
let retry = 0;
let retryDelay = 500;
let hiddenTimer = 0;

/**
 * Hear the events of a kind. Returns the function that stops it.
 *
 * @template {keyof Events} K
 * @param {K} kind
 * @param {(payload: Events[K]) => void} callback
 */
export function listen(kind, callback) {
  const callbacks = listeners.get(kind) ?? new Set();
  listeners.set(kind, callbacks.add(callback));
  if (!stream && !document.hidden) connect();
  return () => callbacks.delete(callback);
}

/**
 * Which live game the stream carries; null for none.
 *
 * @param {string | null} id
 */
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
