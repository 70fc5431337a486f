"""Parameters that are a pydantic model (those of agents): read from text or keywords, and mistakes in them told in one
sentence that names the parameter, what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from boardlab.errors import BoardlabError, printable, unknown_name

__all__ = ["Model", "allowed_text", "model_text", "read_model"]


class Model(BaseModel):
    """Base of all parameter models: constant once made, no unknown names, no infinities."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


SomeModel = TypeVar("SomeModel", bound=Model)


def read_model(model: type[SomeModel], given: Mapping[str, object], owner: str) -> SomeModel:
    """The model made of `given`; `owner` is whose parameters they are, for the messages."""
    for name in given:
        if name not in model.model_fields:
            raise unknown_name(f"parameter of {owner}", name, model.model_fields)
    try:
        return model.model_validate({name: _plain(model, name, value) for name, value in given.items()})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BoardlabError(_sentence(model, first, owner)) from error


def model_text(parameters: Model) -> str:
    """The parameters that differ from their default, as `iterations=100,depth=4`."""
    fields = type(parameters).model_fields
    changed = [(n, v) for n, v in parameters if v != fields[n].get_default(call_default_factory=True)]
    return ",".join(f"{n}={_value_text(v)}" for n, v in changed)


def _value_text(value: object) -> str:
    """A value as it is written in a specification; a text with commas in square brackets."""
    text = str(value).lower() if isinstance(value, bool | None) else str(value)
    return f"[{text}]" if "," in text else text


def allowed_text(model: type[Model], name: str) -> str:
    """What values a parameter takes, in words; from the model's own schema, so that it cannot be wrong."""
    schema = model.model_json_schema()
    return _allowed(schema["properties"][name], schema.get("$defs", {}))


def _plain(model: type[Model], name: str, value: object) -> object:
    """The text `none` as None, where that is allowed; pydantic reads all else."""
    may_be_none = type(None) in get_args(model.model_fields[name].annotation)
    return None if may_be_none and isinstance(value, str) and value.lower() == "none" else value


def _sentence(model: type[Model], error: Any, owner: str) -> str:
    """One error of pydantic; `loc` is empty where the model as a whole is refused (parameters that do not fit
    together), and the validator's own words say why."""
    reason = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return f"these parameters of {owner} do not fit together: {reason}"
    name = str(error["loc"][0])
    if error["type"] == "missing":
        return f"{name} of {owner} must be given; it is {allowed_text(model, name)}"
    if error["type"] == "value_error":
        return f"{name} of {owner} cannot be {printable(error['input'])}: {reason}"
    return f"{name} of {owner} is {allowed_text(model, name)}, not {printable(error['input'])}"


def _allowed(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _allowed(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return " or ".join(_allowed(option, definitions) for option in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "a text",
        "array": "a list",
        "null": "none",
    }
    return words.get(schema.get("type", ""), "a value") + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low:.12g} to {high:.12g}"
    parts = [
        f" {word} {bound:.12g}"
        for word, bound in (("not below", low), ("above", above), ("not above", high), ("below", below))
        if bound is not None
    ]
    return " and".join(parts)
