// The way to the server: JSON requests whose errors are sentences, and the stream of events.

// What it takes and answers is known to the checker of this code by the types `Api`, which tools/api_types.py makes from
// the models of the server.

import { recall, remember } from "./dom.js";
import { EventStream } from "./event_stream.js";

/** @typedef {{ signal?: AbortSignal }} Options */

const SILENT = "The server does not respond. Is boardlab arena still running?";

/** The number of this browser, by which it keeps its seats in games that are shared. */
const visitor = recall("visitor") ?? newVisitor();

function newVisitor() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  remember("visitor", made);
  return made;
}

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
    response = await fetch(path, { method, body, headers: { ...headers, "X-Visitor": visitor }, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(SILENT, 0);
  }
  return readAnswer(response.status, await response.text());
}

/**
 * @param {number} status
 * @param {string} text
 */
function readAnswer(status, text) {
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(`The server's answer cannot be read (${status}).`, status);
  }
  if (status >= 400) throw new ApiError(answer?.error ?? `The server refused the request (${status}).`, status);
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
 * Send the bytes of an agent file; `progress` is told which share of them has been sent. (What `fetch` has sent it does
 * not tell.)
 *
 * @param {string} name
 * @param {Blob} file
 * @param {(share: number) => void} progress
 * @returns {Promise<Api.PostAnswer<"/api/files">>}
 */
export function upload(name, file, progress) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open("POST", `/api/files?${new URLSearchParams({ name })}`);
    sent.setRequestHeader("Content-Type", "application/octet-stream");
    sent.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 1);
    sent.upload.onload = () => progress(1);
    sent.onerror = () => reject(new ApiError(SILENT, 0));
    sent.onload = () => {
      try {
        resolve(readAnswer(sent.status, sent.responseText));
      } catch (error) {
        reject(error);
      }
    };
    sent.send(file);
  });
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
 * @property {Api.Tournament & { deleted?: boolean }} tournament
 * @property {any} file
 * @property {any} record
 * @property {{ id: string }} league the league of a game, or its ladder of people, has changed
 * @property {null} open
 * @property {null} away the server does not answer; "open" comes when it does again
 */

const HIDDEN_MILLISECONDS = 20_000;
/** @type {Map<keyof Events, Set<(payload: any) => void>>} */
const listeners = new Map();
/** @type {string | null} */
let watched = null;
let listening = false;
let hiddenTimer = 0;

/** @typedef {{ watch?: string | null, leave?: boolean }} StreamWish */

/** @type {(wish: StreamWish) => void} how this tab tells what it wants to hear */
const ask = typeof SharedWorker === "undefined" ? alone() : together();

/** One stream for all tabs of the browser. */
function together() {
  const worker = new SharedWorker("/static/common/shared_stream.js", { type: "module" });
  worker.port.onmessage = ({ data }) => emit(data.kind, data.payload);
  return (/** @type {StreamWish} */ wish) => worker.port.postMessage(wish);
}

/** One for this tab alone, where browsers know nothing better. */
function alone() {
  const stream = new EventStream(emit);
  return (/** @type {StreamWish} */ { watch = null, leave = false }) =>
    leave ? stream.close() : stream.watch(watch === null ? [] : [watch]);
}

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
  if (!listening && !document.hidden) connect();
  return () => callbacks.delete(callback);
}

/**
 * Which live game the stream carries; null for none.
 *
 * @param {string | null} id
 */
export function watchGame(id) {
  if (id === watched && listening) return;
  watched = id;
  connect();
}

function emit(kind, payload) {
  for (const callback of [...(listeners.get(kind) ?? [])]) callback(payload);
}

function connect() {
  listening = true;
  ask({ watch: watched });
}

function disconnect() {
  listening = false;
  ask({ leave: true });
}

// A tab that nobody looks at needs no news.
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(disconnect, HIDDEN_MILLISECONDS);
  else if (!listening) connect();
});
window.addEventListener("pagehide", disconnect);
window.addEventListener("pageshow", (event) => event.persisted && connect());
