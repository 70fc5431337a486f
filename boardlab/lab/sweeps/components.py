"""Parameters of a learner's components as settings of their own: `rule.alpha0 = 0.01` is `alpha0` of whatever rule the
variant has, so that a sweep can vary it without writing the rule anew."""

from __future__ import annotations

from boardlab.errors import BoardlabError
from boardlab.lab.presets import preset_settings
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make, split_spec

__all__ = ["with_component_parameters"]


def with_component_parameters(wish: TrainingWish) -> TrainingWish:
    """The same wish, in which `rule.alpha0` among its options has become a part of `rule`."""
    dotted = {name: value for name, value in wish.options.items() if "." in name}
    if not dotted:
        return wish
    options = {name: value for name, value in wish.options.items() if name not in dotted}
    preset = preset_settings(make(wish.game or ""), wish.preset) if wish.preset else {}
    for name, value in dotted.items():
        component, _, parameter = name.partition(".")
        text = options.get(component, preset.get(component))
        if not isinstance(text, str):
            raise BoardlabError(
                f"{name} is a parameter of {component}, which is not named; say it, as {component} = ..."
            )
        options[component] = _with_parameter(text, parameter, value)
    return wish.model_copy(update={"options": options})


def _with_parameter(spec: str, name: str, value: object) -> str:
    """A specification with another value of a parameter."""
    origin, parameters = split_spec(spec)
    parts = [f"{key}=[{given}]" if "," in str(given) else f"{key}={given}" for key, given in parameters.items()]
    return f"{origin}:{','.join([*(p for p in parts if not p.startswith(f'{name}=')), f'{name}={value}'])}"
