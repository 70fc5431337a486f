"""What a component is: a class that is asked for by its name, with declared, documented and checked parameters and a
text form. Games, agents, evaluators and step-size rules are components.

A parameter is declared in the body of the class, and its value is then an attribute of every object:

    class Patient(Agent):
        name = "patient"
        seconds: float = parameter(1.0, 0.0, 60.0, doc="how long it waits")

Where parameters have to fit together, they may be the fields of a nested pydantic model instead, with validators; the
object has them in `parameters`, an object of that model:

    class Parameters(Agent.Parameters):
        seconds: float = Field(1.0, ge=0.0, le=60.0, description="how long it waits")

Both become the same description (`parameters_of`), which the command line, TOML files, the forms of the browser and
the documentation read.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from boardlab.components.models import Model, model_parameters, read_model
from boardlab.parameters import Parameter, Value, body_parameters, refuse_unknown, settings_text

__all__ = [
    "Component",
    "checked_text",
    "parameters_of",
    "settings_of",
    "settings_text_of",
    "short_doc",
    "take_parameters",
]


class Component:
    """Base class of all components. The class docstring says in a sentence or two what it is or does."""

    name: ClassVar[str] = ""
    """How it is called on the command line."""
    former_names: ClassVar[tuple[str, ...]] = ()
    """How it was called before: these names still find it."""

    @property
    def spec(self) -> str:
        """The text that makes this very component again, as `connect4:columns=6`."""
        origin = self.__dict__.get("_origin", self.name or type(self).__name__)
        text = settings_text_of(self)
        return f"{origin}:{text}" if text else origin


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The declared parameters of a component class, by name."""
    model = _model_of(cls)
    return {**body_parameters(cls), **(model_parameters(model) if model else {})}


def take_parameters(component: Any, given: Mapping[str, object], owner: str) -> None:
    """Give a component that is being made its parameters: the given ones checked, the others by default. `owner` is how
    it is called in messages."""
    settings, model = _read(type(component), given, owner)
    component.__dict__.update(settings)
    component.__dict__["_settings"] = settings
    if model is not None:
        component.__dict__["parameters"] = model


def checked_text(cls: type, given: Mapping[str, object], owner: str) -> str:
    """The given parameters as text, `iterations=100,depth=4`, if a component of the class could have them."""
    settings, model = _read(cls, given, owner)
    return settings_text(parameters_of(cls), {**settings, **(dict(model) if model else {})})


def _read(cls: type, given: Mapping[str, object], owner: str) -> tuple[dict[str, Value], Model | None]:
    """The values that are declared in the body, and the model of the others."""
    refuse_unknown(parameters_of(cls), given, owner)
    declared, model = body_parameters(cls), _model_of(cls)
    settings = {n: p.read(n, given[n]) if n in given else p.default for n, p in declared.items()}
    others = {name: value for name, value in given.items() if name not in declared}
    return settings, read_model(model, others, owner) if model else None


def settings_of(component: Any) -> dict[str, Value]:
    """The values of all parameters of a component."""
    values = component.__dict__
    model = values.get("parameters")
    return {**values.get("_settings", {}), **(dict(model) if isinstance(model, Model) else {})}


def settings_text_of(component: Any) -> str:
    """The parameters of a component that differ from their default, as `iterations=100,depth=4`."""
    return settings_text(parameters_of(type(component)), settings_of(component))


def short_doc(cls: type) -> str:
    """The docstring of a class as one paragraph."""
    return " ".join((inspect.getdoc(cls) or "").split())


def _model_of(cls: type) -> type[Model] | None:
    model = getattr(cls, "Parameters", None)
    return model if isinstance(model, type) and issubclass(model, Model) else None
