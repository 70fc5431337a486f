// Forms from the server's lists of fields: parameters of games, options of agents, settings of training runs.
//
// A field says its kind, its default and what values it takes; the form shows one control for each, with the field's
// own words under it, and gives back only what differs from the defaults. A mistake is shown at the field where it
// was made, be it found here or by the server, whose sentences begin with the name of the field.

import { h } from "../common/dom.js";

/** Something in a form cannot be read; the form shows already where. */
export class FormError extends Error {}

const OPEN_FIELDS = 6;
const FIELDS_WORTH_A_SEARCH = 10;
const WIDEST_STEPPER = 100;
const LARGE = 1e6;

let made = 0;

/** @typedef {{ [name: string]: FieldValue }} Values */
/** @typedef {{ title?: string | null, names: string[], open?: boolean }} Group */

/**
 * @typedef {object} FormOptions
 * @property {Values} [values] values that differ from the defaults at the beginning
 * @property {Group[] | null} [groups] the open ones are always in sight, the others in the fold, and what no group names
 *   comes last; without groups the first six fields are in sight
 * @property {string} [folded] what the fold is called
 * @property {{ [name: string]: string }} [labels] where the name in plain words would not do
 * @property {(() => void) | null} [onchange] called after every change by the person
 */

/**
 * A form for `fields`.
 *
 * @param {Field[]} fields
 * @param {FormOptions} [options]
 */
export function buildForm(fields, options = {}) {
  return new Form(fields, options);
}

const WORDS = { lam: "lambda", tc: "TC", farl: "FARL" };

/** The name of a field in plain words: `alpha_end` is "Alpha end". */
export function plainName(name) {
  const words = name
    .split("_")
    .map((word) => WORDS[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export class Form {
  /**
   * @param {Field[]} fields
   * @param {FormOptions} options
   */
  constructor(fields, { values = {}, groups = null, folded = "More settings", labels = {}, onchange = null } = {}) {
    this.onchange = onchange;
    this.rows = new Map(fields.map((field) => [field.name, new Row(field, labels[field.name], () => this.changed())]));
    this.summary = h("span", { class: "fold-count" });
    this.element = h("div", { class: "form" }, this.layOut(fields, groups, folded));
    this.set(values);
  }

  /** What differs from the defaults, by name; marks what cannot be read and throws FormError. */
  values() {
    this.clearErrors();
    return this.read((row, error) => this.mark(row, error.message));
  }

  /**
   * The same, for who only looks: what the form shows stays as it is.
   *
   * @param {(row: Row, error: FormError) => void} [unreadable] is told where something cannot be read
   */
  read(unreadable) {
    /** @type {Values} */
    const given = {};
    for (const [name, row] of this.rows) {
      try {
        const value = row.read();
        if (value !== row.base) given[name] = value;
      } catch (error) {
        if (error instanceof FormError) unreadable?.(row, error);
        throw error;
      }
    }
    return given;
  }

  /**
   * Show these values, and the default of all others.
   *
   * @param {Values} values
   */
  set(values) {
    for (const [name, row] of this.rows) row.write(name in values ? values[name] : row.base);
    this.count();
  }

  /**
   * Make these values the defaults, as those of a preset, and show them.
   *
   * @param {Values} values
   */
  rebase(values) {
    for (const [name, row] of this.rows) row.base = name in values ? values[name] : row.field.default;
    this.set({});
  }

  /**
   * Show a sentence of the server at the field that it begins with; false if there is none.
   *
   * @param {string} sentence
   */
  showError(sentence) {
    for (const [name, row] of this.rows) {
      if (new RegExp(`^${name}\\b`).test(sentence)) {
        this.mark(row, sentence);
        return true;
      }
    }
    return false;
  }

  clearErrors() {
    for (const row of this.rows.values()) row.error("");
  }

  /**
   * @param {Row} row
   * @param {string} sentence
   */
  mark(row, sentence) {
    row.error(sentence);
    row.element.hidden = false;
    for (let at = row.element.parentElement; at; at = at.parentElement) {
      if (at instanceof HTMLDetailsElement) at.open = true;
    }
    row.control.focus.focus();
  }

  changed() {
    this.count();
    this.onchange?.();
  }

  count() {
    const changed = [...this.rows.values()].filter((row) => row.folded && row.isChanged()).length;
    this.summary.textContent = changed ? `${changed} changed` : "";
  }

  /**
   * @param {Field[]} fields
   * @param {Group[] | null} groups
   * @param {string} folded
   */
  layOut(fields, groups, folded) {
    const named = new Set(groups?.flatMap((group) => group.names));
    const others = fields.map((field) => field.name).filter((name) => !named.has(name));
    /** @type {Group[]} */
    const all = groups
      ? [...groups, { title: "Other", names: others }]
      : [{ names: others.slice(0, OPEN_FIELDS), open: true }, { names: others.slice(OPEN_FIELDS) }];
    const present = all
      .map((group) => ({ ...group, rows: group.names.flatMap((name) => this.rows.get(name) ?? []) }))
      .filter((group) => group.rows.length > 0);
    const shown = present.filter((group) => group.open).map(groupElement);
    const hidden = present.filter((group) => !group.open);
    if (hidden.length === 1) hidden[0].title = null; // the fold has a title of its own
    return hidden.length ? [...shown, this.fold(hidden, folded)] : shown;
  }

  fold(groups, title) {
    const rows = groups.flatMap((group) => group.rows);
    for (const row of rows) row.folded = true;
    const parts = groups.map(groupElement);
    const search = h("input", {
      type: "search",
      class: "fold-search",
      placeholder: `Search ${rows.length} settings`,
      "aria-label": "Search the settings",
      oninput: () => {
        for (const row of rows) row.element.hidden = !row.matches(search.value);
        groups.forEach((group, i) => (parts[i].hidden = group.rows.every((row) => row.element.hidden)));
      },
    });
    return h(
      "details",
      { class: "fold" },
      h("summary", {}, h("span", {}, title), this.summary),
      rows.length >= FIELDS_WORTH_A_SEARCH ? search : null,
      parts,
    );
  }
}

/** @param {Group & { rows: Row[] }} group */
function groupElement(group) {
  return h(
    "fieldset",
    { class: "form-group" },
    group.title ? h("legend", {}, group.title) : null,
    h(
      "div",
      { class: "form-grid" },
      group.rows.map((row) => row.element),
    ),
  );
}

/** One field in the form: label, control, what it means, and what is wrong with it. */
class Row {
  /**
   * @param {Field} field
   * @param {string | undefined} label
   * @param {() => void} onchange
   */
  constructor(field, label, onchange) {
    const id = `field-${++made}`;
    this.field = field;
    this.base = field.default;
    this.folded = false;
    this.label = label ?? plainName(field.name);
    this.control = makeControl(field, id, () => {
      this.error("");
      this.refresh();
      onchange();
    });
    this.problem = h("p", { class: "error", id: `${id}-error`, role: "alert", hidden: true });
    this.reset = h(
      "button",
      {
        type: "button",
        class: "field-reset",
        hidden: true,
        onclick: () => {
          this.write(this.base);
          this.control.focus.focus();
          onchange();
        },
      },
      "reset",
    );
    const help = helpText(field);
    this.control.focus.setAttribute("aria-describedby", `${id}-help ${id}-error`);
    this.control.focus.dataset.field = field.name;
    this.element = h(
      "div",
      { class: `field field-${field.kind}` },
      h("div", { class: "field-head" }, h("label", { for: id }, this.label), this.reset),
      this.control.element,
      help ? h("p", { class: "doc", id: `${id}-help` }, help) : null,
      this.problem,
    );
  }

  read() {
    return this.control.read();
  }

  write(value) {
    this.control.write(value);
    this.error("");
    this.refresh();
  }

  isChanged() {
    try {
      return this.read() !== this.base;
    } catch {
      return true;
    }
  }

  refresh() {
    const changed = this.isChanged();
    this.element.classList.toggle("changed", changed);
    this.reset.hidden = !changed;
    this.reset.title = `Reset to ${valueText(this.base)}`;
    this.reset.setAttribute("aria-label", `Reset ${this.label} to ${valueText(this.base)}`);
  }

  error(sentence) {
    this.problem.textContent = sentence;
    this.problem.hidden = !sentence;
    this.element.classList.toggle("bad", Boolean(sentence));
    this.control.focus.setAttribute("aria-invalid", String(Boolean(sentence)));
  }

  matches(words) {
    const text = `${this.field.name} ${this.label} ${this.field.doc ?? ""}`.toLowerCase();
    return words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }
}

// ------------------------------------------------------------ controls

/** @typedef {{ element: HTMLElement, focus: HTMLElement, read: () => FieldValue, write: (value: any) => void }} Control */

/**
 * @param {Field} field
 * @param {string} id
 * @param {() => void} onchange
 * @returns {Control}
 */
function makeControl(field, id, onchange) {
  if (field.kind === "choice" || (field.kind === "boolean" && field.nullable))
    return choiceControl(field, id, onchange);
  if (field.kind === "boolean") return switchControl(id, onchange);
  if (field.kind === "text") return textControl(field, id, onchange);
  if (field.kind === "component") return componentControl(field, id, onchange);
  return numberControl(field, id, onchange);
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {() => void} onchange
 * @returns {Control}
 */
function numberControl(field, id, onchange) {
  const whole = field.kind === "integer";
  const input = h("input", {
    id,
    type: "number",
    inputmode: whole ? "numeric" : "decimal",
    step: whole ? 1 : "any",
    min: field.low ?? null,
    max: field.high ?? null,
    placeholder: field.nullable ? "none" : valueText(field.default),
    autocomplete: "off",
    oninput: onchange,
  });
  const read = () => {
    if (input.value === "" && !input.validity.badInput) {
      return field.nullable ? null : field.default;
    }
    const value = Number(input.value);
    const inside = (field.low ?? -Infinity) <= value && value <= (field.high ?? Infinity);
    if (input.validity.badInput || !Number.isFinite(value) || (whole && !Number.isInteger(value)) || !inside) {
      const given = input.value === "" ? "what was typed" : input.value;
      throw new FormError(`${plainName(field.name)} must be ${allowedText(field)}, not ${given}.`);
    }
    return value;
  };
  const write = (value) => (input.value = value ?? "");
  const { low, high } = field;
  const bounded = whole && low != null && high != null && !field.nullable;
  if (!bounded || high - low > WIDEST_STEPPER) return { element: input, focus: input, read, write };
  const step = (by, sign) =>
    h(
      "button",
      {
        type: "button",
        tabindex: -1,
        "aria-label": by < 0 ? "less" : "more",
        onclick: () => {
          const value = Number(input.value === "" ? field.default : input.value) + by;
          input.value = String(Math.min(high, Math.max(low, Math.round(value))));
          onchange();
        },
      },
      sign,
    );
  const element = h("div", { class: "stepper" }, step(-1, "\u2212"), input, step(1, "+"));
  return { element, focus: input, read, write };
}

function switchControl(id, onchange) {
  const input = h("input", { id, type: "checkbox", role: "switch", class: "switch", onchange });
  return { element: input, focus: input, read: () => input.checked, write: (value) => (input.checked = value) };
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {() => void} onchange
 * @returns {Control}
 */
function choiceControl(field, id, onchange) {
  /** @type {FieldValue[]} */
  const values = field.kind === "boolean" ? [true, false] : [...(field.choices ?? [])];
  if (field.nullable) values.unshift(null);
  const select = h(
    "select",
    { id, onchange },
    values.map((value, i) => h("option", { value: i }, valueText(value))),
  );
  return {
    element: select,
    focus: select,
    read: () => values[select.selectedIndex],
    write: (value) => (select.selectedIndex = values.indexOf(value)),
  };
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {() => void} onchange
 * @returns {Control}
 */
function textControl(field, id, onchange) {
  const input = h("input", {
    id,
    type: "text",
    placeholder: field.nullable ? "none" : null,
    autocomplete: "off",
    spellcheck: "false",
    maxlength: field.high ?? null,
    oninput: onchange,
  });
  return {
    element: input,
    focus: input,
    read: () => (input.value === "" && field.nullable ? null : input.value),
    write: (value) => (input.value = value ?? ""),
  };
}

/**
 * A component by its name, with its own parameters after a colon: a text with suggestions, and under it what there is to
 * say about the one that is named.
 *
 * @param {Field} field
 * @param {string} id
 * @param {() => void} onchange
 * @returns {Control}
 */
function componentControl(field, id, onchange) {
  const text = textControl(field, id, () => (tell(), onchange()));
  const input = /** @type {HTMLInputElement} */ (text.focus);
  const help = h("p", { class: "doc component-help" });
  const names = h(
    "datalist",
    { id: `${id}-names` },
    (field.choices ?? []).map((name) => h("option", { value: String(name) })),
  );
  input.setAttribute("list", names.id);
  const tell = () => {
    const helps = field.helps ?? {};
    const named = input.value.split(":")[0].trim();
    help.textContent = helps[input.value.trim()] ?? helps[named] ?? `One of ${(field.choices ?? []).join(", ")}.`;
  };
  const write = (value) => (text.write(value), tell());
  return { element: h("div", { class: "component" }, input, names, help), focus: input, read: text.read, write };
}

// ------------------------------------------------------------ words

function valueText(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

/** @param {Field} field */
function helpText(field) {
  const worthSaying = Math.abs(field.low ?? 0) < LARGE && (field.high ?? LARGE) < LARGE;
  const range = worthSaying && (field.kind === "integer" || field.kind === "number") ? rangeText(field) : "";
  return [field.doc, range].filter(Boolean).join(" \u00b7 ");
}

/** @param {Field} field */
function rangeText({ low, high }) {
  const text = (bound) => (Math.abs(bound) >= 10000 ? bound.toLocaleString("en") : String(bound));
  if (low != null && high != null) return `${text(low)} to ${text(high)}`;
  if (low != null) return `at least ${text(low)}`;
  return high != null ? `at most ${text(high)}` : "";
}

/** @param {Field} field */
function allowedText(field) {
  const kind = field.kind === "integer" ? "a whole number" : "a number";
  const range = rangeText(field);
  return range ? `${kind} ${field.low != null && field.high != null ? "from" : "of"} ${range}` : kind;
}
