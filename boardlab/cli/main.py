"""What the commands of `boardlab` are called and what they take.

Only declarations live here, and nothing heavy is imported, so that `boardlab --help` answers at once: the module
that carries a command out, `boardlab/cli/NAME.py` with a function `run`, is imported when the command is given.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from boardlab import __version__
from boardlab.compile_errors import explain_compile_error, is_compile_error
from boardlab.errors import BoardlabError

__all__ = ["app", "main"]


class Commands(TyperGroup):
    """The commands, with what ends one of them early turned into a word on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BoardlabError as error:
            typer.echo(f"boardlab: {error}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as stop:
            typer.echo("\nstopped", err=True)
            raise typer.Exit(130) from stop
        except Exception as error:
            if not is_compile_error(error):
                raise
            typer.echo(f"boardlab: the rules do not compile: {explain_compile_error(error)}", err=True)
            raise typer.Exit(2) from error


_LOOK: dict[str, Any] = {
    "rich_markup_mode": None,
    "no_args_is_help": True,
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
app = typer.Typer(cls=Commands, help="A laboratory for learning to play board games.", **_LOOK)
bench = typer.Typer(help="Measure how fast boardlab is on this machine.", **_LOOK)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command of this process; the entry point of the `boardlab` script."""
    try:
        app(prog_name="boardlab")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read the output has left; nothing more can be said to him
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"boardlab {__version__}")
        raise typer.Exit


GameSpec = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game: connect4, connect4:columns=6,rows=5 or path/to/file.py:Class."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Makes the run repeatable; a fresh one when left out.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Tell everything about this game.")] = None,
) -> None:
    """List the games, or tell the rules, parameters and sizes of one."""
    from boardlab.cli.games import run

    run(game)


@app.command()
def play(
    game: GameSpec,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat", "-s", metavar="WHO", help="Who plays: human or an agent; once for each player, in their order."
        ),
    ] = None,
    seed: Seed = None,
) -> None:
    """Play in the terminal. You have the first seat unless told otherwise; seats not given play at random."""
    from boardlab.cli.play import run

    run(game, seat or ["human"], seed)


@app.command()
def check(
    game: GameSpec,
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random games.")] = 1,
) -> None:
    """Check a game: every promise of its rules, in random play."""
    from boardlab.cli.check import run

    run(game, games, seed)


@app.command()
def perft(
    game: GameSpec,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, help="Number of actions.")],
    positions: Annotated[bool, typer.Option("--positions", help="Count distinct positions, too.")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of actions from the start."""
    from boardlab.cli.perft import run

    run(game, depth, positions=positions, json=json)


@bench.command()
def rollouts(
    games: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which games, with commas between them; all when left out.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.001, help="CPU time for each measured figure.")] = 3.0,
    json: Json = False,
) -> None:
    """Random games per second on one core, beside OpenSpiel's where it is installed."""
    from boardlab.cli.bench_rollouts import run

    run(games, seconds, json=json)
