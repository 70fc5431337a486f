"""Writes the types of the arena's API for the checker of the page's JavaScript: `python tools/api_types.py FILE.d.ts`.

They come from the same models that the server answers with, each time anew, so that a script that asks for an address
or reads a field that the server does not have fails `make lint`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from boardlab.web.app import create_app
from boardlab.web.server.settings import ArenaSettings

Schema = dict[str, Any]
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
REFERENCE = "#/components/schemas/"


def type_of(schema: Schema) -> str:
    """A schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REFERENCE)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(map(type_of, choices)))
    if "enum" in schema or "const" in schema:
        return " | ".join(f'"{value}"' for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(type_of, schema['prefixItems']))}]"
        return f"Array<{type_of(schema['items'])}>"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"{{ [name: string]: {type_of(values) if isinstance(values, dict) else 'any'} }}"
    return PLAIN.get(schema.get("type", ""), "any")


def interface(name: str, schema: Schema, complete: bool) -> str:
    """A model as an interface; in a `complete` one every field is there, as in all that the server answers."""
    required = set(schema.get("required", []))
    fields = [
        f"    {field}{'' if complete or field in required else '?'}: {type_of(part)};"
        for field, part in schema.get("properties", {}).items()
    ]
    return "\n".join([f"  interface {name} {{", *fields, "  }"])


def references(schema: Any, schemas: dict[str, Schema], found: set[str]) -> set[str]:
    """The names of all models in a schema, directly or not."""
    if isinstance(schema, list):
        for part in schema:
            references(part, schemas, found)
    elif isinstance(schema, dict):
        name = str(schema.get("$ref", "")).removeprefix(REFERENCE)
        if name and name not in found:
            found.add(name)
            references(schemas[name], schemas, found)
        references(list(schema.values()), schemas, found)
    return found


def content(part: Schema) -> Schema | None:
    """What a request or an answer holds, where it is JSON."""
    found: Schema | None = part.get("content", {}).get("application/json", {}).get("schema")
    return found


def answer(operation: Schema) -> Schema | None:
    """What an operation answers when all goes well."""
    good = next(part for status, part in operation["responses"].items() if status.startswith("2"))
    return content(good)


def choice(name: str, types: dict[str, str]) -> str:
    """A type that depends on the path; the patterns with the longest fixed text come first, since `${string}` would
    take in a slash as well."""
    ordered = sorted(types, key=lambda path: -len(path.replace("${string}", "")))
    cases = [f"    P extends `{path}` ? {types[path]} :" for path in ordered]
    return "\n".join([f"  type {name}<P extends string> =", *cases, "    never;"])


def operations(description: Schema, method: str) -> dict[str, Schema]:
    """The operations of a method, by the pattern of their path."""
    found = {path: ways[method] for path, ways in description["paths"].items() if method in ways}
    return {re.sub(r"\{\w+\}", "${string}", path): operation for path, operation in found.items()}


def query(operation: Schema) -> str:
    """The parameters of an address, as an object."""
    named = [part for part in operation.get("parameters", []) if part["in"] == "query"]
    return "{ " + " ".join(f"{part['name']}?: string | number | null;" for part in named) + " }"


def body(operation: Schema) -> str:
    """What an operation takes."""
    schema = content(operation.get("requestBody", {}))
    return type_of(schema) if schema else "{ [name: string]: never }"


def declarations(description: Schema) -> str:
    """All types, in the namespace `Api`."""
    schemas = description["components"]["schemas"]
    every = [way for ways in description["paths"].values() for way in ways.values()]
    sent = references([content(way.get("requestBody", {})) for way in every], schemas, set())
    parts = [interface(name, schema, name not in sent) for name, schema in schemas.items()]
    for method in ("get", "post", "patch", "delete"):
        found = operations(description, method)
        title = method.capitalize()
        parts.append(f"  type {title}Path = {' | '.join(f'`{path}`' for path in found)};")
        answers = {path: schema for path, operation in found.items() if (schema := answer(operation))}
        parts.append(choice(f"{title}Answer", {path: type_of(schema) for path, schema in answers.items()}))
        ask = query if method == "get" else body
        parts.append(choice(f"{title}Body", {path: ask(operation) for path, operation in found.items()}))
    return "\n".join(["declare namespace Api {", *parts, "}", ""])


def main() -> None:
    """Write the file that the command line names."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as data:
        text = declarations(create_app(ArenaSettings.model_validate({"data": data})).openapi())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
