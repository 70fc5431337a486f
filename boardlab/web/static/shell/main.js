// The shell of the page: navigation and the router. A view is a module with `show(root, path, query)`; it is loaded
// when it is first visited, so the first page is there at once.

import { element, h, icon, replace, toast } from "../common/dom.js";

/** @typedef {{ name: string, title: string, load: () => Promise<{ show: Show }>, under?: string }} View */

/** @type {View[]} */
const VIEWS = [
  { name: "play", title: "Play", load: () => import("../play/play.js") },
  { name: "inspect", title: "Inspect", load: () => import("../inspect/inspect.js") },
  { name: "train", title: "Train", load: () => import("../train/train.js") },
  { name: "agents", title: "Agents", load: () => import("../agents/agents.js") },
  { name: "games", title: "Games", load: () => import("../games/games.js") },
  { name: "compete", title: "Compete", load: () => import("../compete/compete.js") },
  { name: "hall", title: "Hall of fame", load: () => import("../games/hall_of_fame.js"), under: "games" },
];

const main = element("main");
const nav = element("nav");
let visit = 0;
/** @type {(() => void) | null} */
let leave = null;

function readHash() {
  const [place, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...path] = place.split("/").filter(Boolean).map(decodeURIComponent);
  return { name: name ?? "play", path, query: new URLSearchParams(query) };
}

async function route() {
  const { name, path, query } = readHash();
  const view = VIEWS.find((v) => v.name === name) ?? VIEWS[0];
  const mine = ++visit;
  leave?.();
  leave = null;
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
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "empty" },
        h("h1", {}, "Something went wrong"),
        h("p", {}, error.message),
        h("button", { class: "button primary", onclick: () => route() }, "Try again"),
      ),
    ),
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
