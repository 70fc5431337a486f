// The page /api-docs: every address of the API, what it takes and what it answers, from /openapi.json.

import { element, h, replace } from "../common/dom.js";

const METHODS = ["get", "post", "patch", "put", "delete"];

/** A schema in a few words: `string`, `list of Seat`, `integer or null`. */
function typeText(schema) {
  if (!schema || Object.keys(schema).length === 0) return "anything";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeText))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeText(schema.items)}`;
  if (schema.type === "null") return "null";
  if (schema.type === "object" && schema.additionalProperties) {
    return `map of names to ${typeText(schema.additionalProperties)}`;
  }
  if (schema.format === "binary") return "a file";
  return schema.type ?? "anything";
}

/** All schemas that a schema refers to, directly. */
function references(schema, found = new Set()) {
  if (Array.isArray(schema)) schema.forEach((part) => references(part, found));
  else if (schema && typeof schema === "object") {
    if (typeof schema.$ref === "string") found.add(schema.$ref.split("/").at(-1));
    Object.values(schema).forEach((part) => references(part, found));
  }
  return found;
}

function schemaLink(schema) {
  const text = typeText(schema);
  const names = [...references(schema)];
  return names.length === 1 ? h("a", { href: `#${names[0]}` }, h("code", {}, text)) : h("code", {}, text);
}

function fieldsTable(rows) {
  if (rows.length === 0) return null;
  const line = ({ name, type, doc }) =>
    h("tr", {}, h("td", {}, h("code", {}, name)), h("td", {}, type), h("td", {}, doc ?? ""));
  return h("div", { class: "table-wrap" }, h("table", { class: "table" }, h("tbody", {}, rows.map(line))));
}

function parameterRows(operation) {
  return (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    type: schemaLink(parameter.schema),
    doc: [parameter.description, parameter.required ? "" : "optional"].filter(Boolean).join("; "),
  }));
}

function bodyLine(operation) {
  const content = Object.entries(operation.requestBody?.content ?? {});
  return content.map(([kind, { schema }]) => h("p", {}, "Body: ", schemaLink(schema), ` (${kind})`));
}

function answerLine(status, response) {
  const [kind, content] = Object.entries(response.content ?? {})[0] ?? [];
  const what = content?.schema ? schemaLink(content.schema) : kind ? h("code", {}, kind) : "no content";
  return h("li", {}, h("b", {}, status), " ", what, status.startsWith("2") ? "" : ` ${response.description}`);
}

function operationCard(path, method, operation) {
  return h(
    "details",
    { class: "card operation" },
    h(
      "summary",
      {},
      h("span", { class: `method ${method}` }, method.toUpperCase()),
      h("code", {}, path),
      h("span", { class: "muted" }, operation.description ?? ""),
    ),
    fieldsTable(parameterRows(operation)),
    bodyLine(operation),
    h(
      "ul",
      { class: "answers" },
      Object.entries(operation.responses).map(([s, r]) => answerLine(s, r)),
    ),
  );
}

function schemaCard(name, schema) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([field, part]) => ({
    name: required.has(field) ? field : `${field}?`,
    type: schemaLink(part),
    doc: part.description,
  }));
  return h(
    "section",
    { class: "card schema", id: name },
    h("h3", {}, name),
    schema.description ? h("p", { class: "muted" }, schema.description) : null,
    fieldsTable(rows),
  );
}

/** The operations by their tag, in the order of the description. */
function byTag(description) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((name) => methods[name])) {
      const tag = methods[method].tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), operationCard(path, method, methods[method])]);
    }
  }
  return groups;
}

async function show(root) {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`The API description could not be loaded (${response.status})`);
  const description = await response.json();
  const groups = [...byTag(description)];
  const schemas = Object.entries(description.components?.schemas ?? {});
  replace(
    root,
    groups.map(([tag, cards]) => [h("h2", {}, tag), h("div", { class: "stack" }, cards)]),
    h("h2", {}, "Schemas"),
    h(
      "div",
      { class: "stack" },
      schemas.map(([name, schema]) => schemaCard(name, schema)),
    ),
  );
}

const root = element("content");
show(root).catch((error) => replace(root, h("p", { class: "notice error" }, error.message)));
