// Pictures that the server drew, as elements of this page; nothing in them can run.
// A picture is read as plain XML of a namespace that means nothing to a browser, so that its handlers and scripts are
// never more than text, and whatever is known to be harmless is built anew.

import { s } from "./dom.js";

const PUBLIC = "http://www.w3.org/"; // where the names of all namespaces begin that mean something to a browser
const INERT = "urn:inert:";
const SVG = `${INERT}2000/svg`;
const ELEMENTS = new Set(
  `svg g defs title desc rect circle ellipse line polyline polygon path text tspan
   linearGradient radialGradient stop clipPath mask pattern marker`.split(/\s+/),
);

/**
 * The picture that an SVG text describes; an empty one where the text is no SVG.
 *
 * @param {string} text
 */
export function picture(text) {
  const root = new DOMParser().parseFromString(text.replaceAll(PUBLIC, INERT), "application/xml").documentElement;
  const sound = isAllowed(root) && root.localName === "svg" && !root.querySelector("parsererror");
  return sound ? /** @type {SVGSVGElement} */ (rebuilt(root)) : s("svg", { viewBox: "0 0 100 100" });
}

/** @param {Element} node */
function isAllowed(node) {
  return node.namespaceURI === SVG && ELEMENTS.has(node.localName);
}

/**
 * An element of the page like this one of the inert document.
 *
 * @param {Element} node
 * @returns {SVGElement}
 */
function rebuilt(node) {
  const attributes = [...node.attributes].filter(isHarmless).map(({ name, value }) => [name, value]);
  const children = [...node.childNodes].map((child) => {
    if (child instanceof Element) return isAllowed(child) ? rebuilt(child) : null;
    return child instanceof Text ? child.data : null;
  });
  return s(/** @type {keyof SVGElementTagNameMap} */ (node.localName), Object.fromEntries(attributes), children);
}

/** @param {Attr} attribute */
function isHarmless({ name }) {
  return !name.includes(":") && !/^on|^xmlns$|href$/i.test(name);
}
