"""Parameters that are a pydantic model: read from text or keywords, described as `Parameter`, and mistakes in them told
in one sentence that names the parameter, what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from boardlab.errors import BoardlabError, printable
from boardlab.parameters import Kind, Parameter, refuse_unknown, settings_text

__all__ = ["Model", "model_parameters", "model_text", "read_model"]


class Model(BaseModel):
    """Base of all parameter models: constant once made, no unknown names, no infinities."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


SomeModel = TypeVar("SomeModel", bound=Model)


def read_model(model: type[SomeModel], given: Mapping[str, object], owner: str) -> SomeModel:
    """The model made of `given`; `owner` is whose parameters they are, for the messages."""
    declared = model_parameters(model)
    refuse_unknown(declared, given, owner)
    try:
        return model.model_validate({name: _plain(declared[name], value) for name, value in given.items()})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BoardlabError(_sentence(declared, first, owner)) from error


def model_text(parameters: Model) -> str:
    """The parameters that differ from their default, as `iterations=100,depth=4`."""
    return settings_text(model_parameters(type(parameters)), dict(parameters))


def _plain(parameter: Parameter, value: object) -> object:
    """The text `none` as None, where that is allowed; pydantic reads all else."""
    return None if parameter.nullable and isinstance(value, str) and value.lower() == "none" else value


def _sentence(declared: Mapping[str, Parameter], error: Any, owner: str) -> str:
    """One error of pydantic; `loc` is empty where the model as a whole is refused (parameters that do not fit
    together), and the validator's own words say why."""
    reason = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return f"these parameters of {owner} do not fit together: {reason}"
    name = str(error["loc"][0])
    if error["type"] == "missing":
        return f"{name} of {owner} must be given; it is {declared[name].range_text()}"
    if error["type"] == "value_error":
        return f"{name} of {owner} cannot be {printable(error['input'])}: {reason}"
    return f"{name} of {owner} is {declared[name].range_text()}, not {printable(error['input'])}"


# ---------------------------------------------------------------- the description of a model


@cache
def model_parameters(model: type[Model]) -> Mapping[str, Parameter]:
    """The fields of a model by name; from its own schema, so that it cannot be wrong."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    return {
        name: _described(_resolved(schema["properties"][name], definitions), definitions, field)
        for name, field in model.model_fields.items()
    }


def _described(schema: Mapping[str, Any], definitions: Mapping[str, Any], field: Any) -> Parameter:
    options = [_resolved(option, definitions) for option in schema.get("anyOf", [schema])]
    values = [option for option in options if option.get("type") != "null"]
    parts = _parts(values[0] if values else {})
    if len(values) > 1:
        parts["words"] = " or ".join(Parameter(default=None, **_parts(value)).range_text() for value in values)
    return Parameter(
        **parts,
        default=None if field.is_required() else field.get_default(call_default_factory=True),
        nullable=len(values) < len(options),
        required=field.is_required(),
        doc=field.description or "",
    )


_KINDS: dict[str, Kind] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
    "array": "list",
    "string": "text",
}


def _parts(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema without alternatives tells."""
    choices = tuple(schema.get("enum") or ([schema["const"]] if "const" in schema else []))
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    return {
        "kind": _KINDS.get(schema.get("type", ""), "text"),
        "low": schema.get("minimum", above),
        "high": schema.get("maximum", below),
        "above_low": "minimum" not in schema and above is not None,
        "below_high": "maximum" not in schema and below is not None,
        "choices": choices,
        "words": "" if choices or schema.get("type") in _KINDS else "a value",
    }


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with the definition that it refers to, if it does."""
    if "$ref" not in schema:
        return schema
    return {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
