"""`boardlab games`: the list of games, or everything about one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boardlab.cli.output import console, table
from boardlab.components.component import parameters_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.presets import (
    USUAL_AGENT,
    preset_agent,
    preset_doc,
    preset_evaluation,
    preset_names,
    preset_settings,
    preset_sources,
)
from boardlab.parameters import Parameter
from boardlab.registry import game_classes, make
from boardlab.rng import make_rng

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["run"]


def run(spec: str | None, preset: str | None) -> None:
    """Print the table of all games, tell about one, or about one of its presets."""
    if spec is None:
        if preset is not None:
            raise BoardlabError(f"name the game, too: boardlab games GAME --preset {preset}")
        _list_games()
    elif preset is None:
        _tell(make(spec))
    else:
        _tell_preset(make(spec), preset)


def _list_games() -> None:
    made = table("game", "title", "players", "parameters")
    for name, cls in sorted(game_classes().items()):
        declared = parameters_of(cls)
        game = cls()
        players = declared["players"].range_text() if "players" in declared else str(game.num_players)
        made.add_row(name, game.title, players, "\n".join(_parameter_text(n, p) for n, p in declared.items()) or "-")
    out = console()
    out.print(made)
    out.print("boardlab games GAME shows one in detail, boardlab play GAME plays it.")


def _parameter_text(name: str, parameter: Parameter) -> str:
    allowed = parameter.range_text().removeprefix("a whole number from ")
    return f"{name}={str(parameter.default).lower()}  ({allowed})"


def _tell(game: Game) -> None:
    out = console()
    out.print(f"{game.title} ({game.spec})", style="bold")
    out.print(" ".join((type(game).__doc__ or "").split()))
    declared = parameters_of(type(game))
    if declared:
        made = table("parameter", ">value", "allowed", "meaning")
        for name, parameter in declared.items():
            value = str(game.__dict__["settings"][name]).lower()
            made.add_row(name, value, parameter.range_text(), parameter.doc)
        out.print(made)
    else:
        out.print("\nIt has no parameters.\n")
    sizes = table("size", "")
    for name, text in _sizes(game).items():
        sizes.add_row(name, text)
    out.print(sizes)
    if preset_names(game):
        out.print(_presets_table(game))
        out.print(f"boardlab games {game.spec} --preset NAME shows the settings of one.\n")
    start = game.start()
    start.roll(make_rng(0))
    out.print("Start position" + (", one of many:" if start.history else ":"))
    out.print(str(start))


def _presets_table(game: Game) -> Table:
    made = table("preset", "agent", ">episodes", "what it is")
    for name in preset_names(game):
        episodes = preset_settings(game, name).get("episodes")
        about = preset_doc(game, name).partition(". ")[0].removesuffix(".")
        made.add_row(name, preset_agent(game, name), f"{episodes:,}" if episodes else "as usual", about)
    return made


def _tell_preset(game: Game, name: str) -> None:
    """The settings of a preset, and where those come from that are not printed where it was published."""
    agent, settings, sources = preset_agent(game, name), preset_settings(game, name), preset_sources(game, name)
    made = table(
        f"preset {name}" if agent == USUAL_AGENT else f"preset {name} ({agent})",
        ">value",
        "source, where not the paper",
    )
    for parameter, value in {**settings, **preset_evaluation(game, name)}.items():
        text = f"{value:,}" if parameter in ("episodes", "evaluate_every") else str(value).lower()
        made.add_row(parameter, text, sources.get(parameter, ""))
    console().print(made)


def _sizes(game: Game) -> dict[str, str]:
    """The numbers that a learner asks for, in words."""
    sizes = {
        "players": str(game.num_players),
        "actions": f"{game.num_actions}, such as {game.action_name(0)} or {game.action_name(game.num_actions - 1)}",
        "longest game": f"{game.max_moves:,} actions",
        "scores": f"from {game.score_range[0]:,.9g} to {game.score_range[1]:,.9g}",
    }
    if game.num_outcomes:
        sizes["chance outcomes"] = str(game.num_outcomes)
    if game.num_cells:
        counts = sorted(set(game.cell_values().tolist()))
        values = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        sizes["cells"] = f"{game.num_cells} with {values} values each"
        sizes["symmetries"] = str(len(game.symmetries()))
        sizes["exchangeable cells"] = f"{len(game.exchangeable_cells())} pairs"
    sets = game.tuple_sets()
    if sets:
        sizes["tuple sets"] = "\n".join(f"{name}: {_tuples_text(tuples)}" for name, tuples in sets.items())
    sizes["features"] = ", ".join(f"{mode} ({game.num_features(i)})" for i, mode in enumerate(game.feature_modes))
    return {name: text for name, text in sizes.items() if text != "0 pairs"}


def _tuples_text(tuples: list[list[int]]) -> str:
    lengths = sorted({len(t) for t in tuples})
    text = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    return f"{len(tuples)} of length {text}"
