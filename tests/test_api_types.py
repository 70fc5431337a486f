"""The types of the API for the checker of the page's JavaScript."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
from api_types import choice, declarations, type_of

REFERENCE = {"$ref": "#/components/schemas/Run"}


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "integer"}, "number"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        ({"type": "array", "items": REFERENCE}, "Array<Run>"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "{ [name: string]: string }"),
        ({"type": "string", "enum": ["queued", "running"]}, '"queued" | "running"'),
        ({}, "any"),
    ],
)
def test_schemas_become_types(schema: dict[str, Any], type_: str) -> None:
    assert type_of(schema) == type_


def test_what_is_answered_is_complete_and_what_is_sent_need_not_be() -> None:
    fields = {"properties": {"id": {"type": "string"}, "seed": {"type": "integer"}}, "required": ["id"]}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Wish"}}}},
        "responses": {"201": {"content": {"application/json": {"schema": REFERENCE}}}},
    }
    text = declarations(
        {"paths": {"/api/runs": {"post": operation}}, "components": {"schemas": {"Run": fields, "Wish": fields}}}
    )
    assert "interface Run {\n    id: string;\n    seed: number;" in text
    assert "interface Wish {\n    id: string;\n    seed?: number;" in text
    assert "P extends `/api/runs` ? Run :" in text and "P extends `/api/runs` ? Wish :" in text


def test_the_longer_path_is_tried_first() -> None:
    """`${string}` takes in `1/tuples` as well."""
    text = choice("Answer", {"/api/files/${string}": "File", "/api/files/${string}/tuples": "Tuples"})
    assert text.index("Tuples") < text.index("? File")
