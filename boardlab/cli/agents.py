"""`boardlab agents`: a list of the agents, or the options of one."""

from __future__ import annotations

from boardlab.agents.registry import agent_classes
from boardlab.cli.output import console, table
from boardlab.errors import unknown_name
from boardlab.models import allowed_text

__all__ = ["run"]


def run(name: str | None) -> None:
    """List all agents, or tell about the one with this name."""
    classes = agent_classes()
    out = console()
    if name is None:
        made = table("agent", "what it does")
        for key in sorted(classes):
            made.add_row(key, " ".join((classes[key].__doc__ or "").split()))
        out.print(made)
        return
    if name not in classes:
        raise unknown_name("agent", name, classes)
    model = classes[name].Parameters
    out.print(" ".join((classes[name].__doc__ or "").split()))
    if not model.model_fields:
        out.print("It has no options.")
        return
    made = table("option", "default", "values", "meaning")
    for key, field in model.model_fields.items():
        default = "-" if field.is_required() else str(field.get_default(call_default_factory=True)).lower()
        made.add_row(key, default, allowed_text(model, key), field.description or "")
    out.print(made)
    first = next(iter(model.model_fields))
    out.print(f"Options are given with the name: {name}:{first}=VALUE,...")
