// The shell of the page: navigation and the router. A view is a module with `show(root, path, query)`; it is loaded
// when it is first visited, so the first page is there at once.

import { element, h, icon, replace, toast } from "../common/dom.js";
import { watchServer } from "./away.js";

/** @typedef {{ name: string, title: string, load: () => Promise<{ show: Show }>, under?: string }} View */

/** @type {View[]} */
const VIEWS = [
  { name: "play", title: "Play", load: () => import("../play/play.js") },
  { name: "inspect", title: "Inspect", load: () => import("../inspect/inspect.js") },
  { name: "train", title: "Train", load: () => import("../train/train.js") },
  { name: "agents", title: "Agents", load: () => import("../agents/agents.js") },
  { name: "games", title: "Games", load: () => import("../games/games.js") },
  { name: "compete", title: "Compete", load: () => import("../compete/compete.js") },
  {
    name: "tournaments",
    title: "Tournaments",
    load: () => import("../tournaments/tournaments.js"),
    under: "compete",
  },
  { name: "league", title: "League", load: () => import("../league/league.js"), under: "compete" },
  { name: "compare", title: "Compare", load: () => import("../train/compare.js"), under: "train" },
  { name: "sweeps", title: "Sweeps", load: () => import("../sweeps/sweeps.js"), under: "train" },
  { name: "tuples", title: "N-tuples", load: () => import("../tuples/tuples.js"), under: "train" },
  { name: "gallery", title: "Gallery", load: () => import("../gallery/gallery.js"), under: "agents" },
  { name: "hall", title: "Hall of fame", load: () => import("../games/hall_of_fame.js"), under: "games" },
];

const main = element("main");
const nav = element("nav");
let visit = 0;
/** @type {(() => void) | null} */
let leave = null;

function readHash() {
  const [place, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...path] = place.split("/").filter(Boolean).map(decoded);
  return { name: name ?? "play", path, query: new URLSearchParams(query) };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a percent sign that is none of an encoding
  }
}

/** @type {View} what an address leads to that leads nowhere */
const NOWHERE = {
  name: "nowhere",
  title: "Not found",
  load: async () => ({
    show: async (root) => replace(root, failure("There is no such page", location.hash)) && undefined,
  }),
};

async function route() {
  const { name, path, query } = readHash();
  const view = VIEWS.find((v) => v.name === name) ?? NOWHERE;
  const mine = ++visit;
  leave?.();
  leave = null;
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  markCurrent(view);
  document.title = `${view.title} - boardlab`;
  const root = h("div", { class: `view view-${view.name}` });
  replace(main, root);
  window.scrollTo(0, 0);
  try {
    const module = await view.load();
    if (mine !== visit) return;
    const cleanUp = await module.show(root, path, query);
    if (mine === visit) leave = cleanUp ?? null;
    else cleanUp?.();
  } catch (error) {
    if (mine === visit) showFailure(root, error);
  }
}

function showFailure(root, error) {
  if (error.name !== "ApiError") console.error(error);
  const again = h("button", { class: "button primary", onclick: () => route() }, "Try again");
  const lost = error.status === 404 || error.status === 422; // asking again would not help
  replace(
    root,
    lost ? failure("This address leads nowhere", error.message) : failure("Something went wrong", error.message, again),
  );
}

/**
 * @param {string} title
 * @param {string} text
 * @param {Child} [action]
 */
function failure(title, text, action) {
  const home = h("a", { class: "button primary", href: "#/play" }, "Choose a game");
  return h(
    "div",
    { class: "page" },
    h("div", { class: "empty" }, h("h1", {}, title), h("p", {}, text), action ?? home),
  );
}

function markCurrent(view) {
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (nav.querySelectorAll("a[data-view]"))) {
    const current = link.dataset.view === (view.under ?? view.name);
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function themeButton() {
  const button = h("button", { class: "nav-theme", onclick: () => window.toggleTheme() });
  const show = () => {
    const dark = document.documentElement.dataset.theme === "dark";
    const title = dark ? "Light mode" : "Dark mode";
    replace(button, icon(dark ? "sun" : "moon"), h("span", {}, title));
    button.setAttribute("aria-label", title);
    button.title = title;
  };
  window.addEventListener("themechange", show);
  show();
  return button;
}

function buildNavigation() {
  replace(
    nav,
    h(
      "a",
      { class: "brand", href: "#/play", "aria-label": "boardlab home" },
      h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }),
      h("span", {}, "boardlab"),
    ),
    h(
      "ul",
      {},
      VIEWS.filter((v) => !v.under).map((v) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: `#/${v.name}`, dataset: { view: v.name } },
            icon(/** @type {any} */ (v.name)),
            h("span", {}, v.title),
          ),
        ),
      ),
    ),
    themeButton(),
  );
}

document.querySelector("[data-skip]")?.addEventListener("click", (event) => {
  event.preventDefault(); // the hash belongs to the router
  main.focus();
});
window.addEventListener("hashchange", route);
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name === "ApiError") {
    toast(event.reason.message, "error");
    event.preventDefault();
  }
});
buildNavigation();
route();
watchServer();
