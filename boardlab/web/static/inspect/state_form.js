// The fields of a state record as inputs, to set up any position by hand: numbers, and arrays as grids of numbers.

import { h } from "../common/dom.js";

const LARGEST_GRID = 400;

/**
 * {element, read()}; arrays are flat.
 *
 * @param {Api.StateField[]} fields
 */
export function stateForm(fields) {
  const parts = fields.map((field) => ({ field, part: makePart(field) }));
  return {
    element: h(
      "div",
      { class: "state-form" },
      parts.map(({ field, part }) =>
        h(
          "div",
          { class: "field", dataset: { state: field.name } },
          h("label", {}, `${field.name} `, h("span", { class: "muted small" }, shapeText(field))),
          part.element,
        ),
      ),
    ),
    read: () => Object.fromEntries(parts.map(({ field, part }) => [field.name, part.read()])),
  };
}

/** @param {Api.StateField} field */
function shapeText({ dtype, shape }) {
  return shape.length ? `${dtype}, ${shape.join(" \u00d7 ")}` : dtype;
}

/** @param {Api.StateField} field */
function makePart(field) {
  const size = field.shape.reduce((a, b) => a * b, 1);
  if (field.shape.length === 0) return scalar(field);
  if (field.shape.length > 2 || size > LARGEST_GRID) return asText(field);
  return grid(field, size);
}

function isWhole(dtype) {
  return /int/.test(dtype);
}

/**
 * 64-bit integers stay texts: a JavaScript number would lose their last digits.
 *
 * @param {string} text
 * @param {string} dtype
 */
function readNumber(text, dtype) {
  if (/bool/.test(dtype)) return text === "true" || text === "1";
  if (/int64/.test(dtype)) return text.trim();
  return Number(text);
}

function box(value, dtype, label) {
  return h("input", {
    type: "text",
    inputmode: isWhole(dtype) ? "numeric" : "decimal",
    autocomplete: "off",
    "aria-label": label,
    value: String(value),
  });
}

/** @param {Api.StateField} field */
function scalar({ name, dtype, value }) {
  const input = box(value, dtype, name);
  return { element: input, read: () => readNumber(input.value, dtype) };
}

/**
 * @param {Api.StateField} field
 * @param {number} size
 */
function grid({ name, dtype, shape, value }, size) {
  const root = Math.sqrt(size);
  const columns = shape.length === 2 ? shape[1] : Number.isInteger(root) && size > 3 ? root : Math.min(size, 10);
  const inputs = [value].flat().map((v, i) => box(v, dtype, `${name} ${i}`));
  const read = () => inputs.map((input) => readNumber(input.value, dtype));
  return { element: h("div", { class: "state-grid", style: { "--columns": String(columns) } }, inputs), read };
}

/** @param {Api.StateField} field */
function asText({ name, value }) {
  const area = h("textarea", { rows: 5, "aria-label": name, spellcheck: "false" }, JSON.stringify(value));
  return { element: area, read: () => JSON.parse(area.value) };
}
