"""What the commands of `boardlab` are called and what they take.

Only declarations live here, and nothing heavy is imported, so that `boardlab --help` answers at once: the module
that carries a command out, `boardlab/cli/NAME.py` with a function `run`, is imported when the command is given.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from boardlab import __version__
from boardlab.cli.bench_commands import bench
from boardlab.cli.interrupts import end_if_deaf
from boardlab.cli.lab_commands import report, reproduce, sweep, tune
from boardlab.cli.taken import LOOK, Cluster, GameSpec, Json, Seed, Workers
from boardlab.cli.tournament_command import tournament
from boardlab.errors import BoardlabError

__all__ = ["app", "main"]


class Commands(TyperGroup):
    """The commands, with what ends one of them early turned into a word on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _tell_warning
                return super().invoke(ctx)
        except BoardlabError as error:
            typer.echo(f"boardlab: {error}", err=True)
            raise typer.Exit(2) from error
        except MemoryError as error:
            typer.echo(f"boardlab: there is not enough memory for this. {error}".rstrip(), err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as stop:
            typer.echo("\nstopped", err=True)
            raise typer.Exit(130) from stop
        except Exception as error:
            from boardlab.user_errors import explain_user_error

            sentence = explain_user_error(error)
            if sentence is None:
                raise
            typer.echo(f"boardlab: {sentence}", err=True)
            raise typer.Exit(2) from error


def _tell_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"boardlab: warning: {message}", err=True)


app = typer.Typer(cls=Commands, help="A laboratory for learning to play board games.", **LOOK)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command of this process; the entry point of the `boardlab` script."""
    end_if_deaf()
    try:
        app(prog_name="boardlab")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read the output has left; nothing more can be said
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"boardlab {__version__}")
        raise typer.Exit


_MOST_GAMES = 1_000_000
"""All games of a match or an evaluation are kept until its end."""


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Show the details of this game.")] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="Show the settings of this preset of it.")] = None,
) -> None:
    """List the games, or show the details of one."""
    from boardlab.cli.games import run

    run(game, preset)


@app.command()
def play(
    game: GameSpec,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat", "-s", metavar="WHO", help="Who plays: human or an agent; once for each player, in playing order."
        ),
    ] = None,
    seed: Seed = None,
) -> None:
    """Play in the terminal. You have the first seat unless you say otherwise; the other seats play at random."""
    from boardlab.cli.play import run

    run(game, seat or ["human"], seed)


@app.command()
def agents(
    agent: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="Show the options of this agent.")] = None,
) -> None:
    """List the agents, or show the options of one."""
    from boardlab.cli.agents import run

    run(agent)


@app.command()
def rules(
    rule: Annotated[str | None, typer.Argument(metavar="[RULE]", help="Tell the options of this rule.")] = None,
) -> None:
    """List the step-size rules of the learner, or tell the options of one."""
    from boardlab.cli.rules import run

    run(rule)


@app.command()
def match(
    game: GameSpec,
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Agents: random, mcts:iterations=1000 or path/to/file.agent."),
    ],
    games: Annotated[
        int | None,
        typer.Option(min=1, max=_MOST_GAMES, help="How many games, with the agents swapping seats; 100 when left out."),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="elo0=0,elo1=10", help="Play until it is decided which it is; --games is then the most."),
    ] = None,
    starts: Annotated[
        str | None, typer.Option(metavar="STARTS", help="With --sprt: as boardlab tournament has it, as random:4.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(metavar="MOVES", help="A start position, such as '4 4 3'; repeat the option for more."),
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    record: Annotated[
        Path | None, typer.Option(metavar="GAMES.jsonl", help="Keep all games in this file, one on each line.")
    ] = None,
    adjudicate: Annotated[
        int | None,
        typer.Option(metavar="PLIES", min=0, help="After so many plies, end games whose result the solver knows."),
    ] = None,
    pie: Annotated[bool, typer.Option("--pie", help="The second player may take over the first move (Hex).")] = False,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Also count the mistakes of each agent, where a solver knows the game.")
    ] = False,
    json: Json = False,
) -> None:
    """Play a match, with the agents swapping seats."""
    if sprt is not None or starts is not None:
        from boardlab.cli.duel import run as run_test

        run_test(game, agents, sprt, games, start or [], starts, seed, workers, record, json=json)
        return
    from boardlab.cli.match import run

    variation = {"adjudicate": adjudicate, "pie": pie}
    run(game, agents, games or 100, start or [], seed, workers, record, variation, mistakes=mistakes, json=json)


app.command()(tournament)


@app.command("eval")
def evaluate(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="An agent, or an agent file.")],
    game: Annotated[str | None, typer.Option(help="The game to play; an agent file knows its own.")] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(help="The procedure (see boardlab evaluators), such as mcts:iterations=2000."),
    ] = None,
    against: Annotated[str | None, typer.Option(metavar="AGENT", help="An opponent other than the usual one.")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, max=_MOST_GAMES, help="A number of games other than the usual one.")
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Measure how strong an agent is. Prints the mean score, its 95 % interval and the number of games."""
    from boardlab.cli.eval import run

    run(agent, game, against, evaluator, games, seed, workers, cluster=cluster, json=json)


@app.command()
def evaluators(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[GAME|EVALUATOR]", help="Only those for this game, or the options of this evaluator."),
    ] = None,
) -> None:
    """List the procedures that measure playing strength, or show the options of one."""
    from boardlab.cli.evaluators import run

    run(name)


@app.command()
def balance(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="A game, or a range of its parameters: hex:size=4..7, nim:stones=3..9."),
    ],
    budget: Annotated[
        float, typer.Option(metavar="MINUTES", min=0.01, max=100_000, help="About how long it may take.")
    ] = 2.0,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="A strength to measure at, weakest first; random and mcts when left out."),
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Another agent, such as a trained one; repeat for more.")
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=2, max=100_000, help="Games of each kind, whatever the budget.")
    ] = None,
    pie: Annotated[bool, typer.Option("--pie", help="The second player may take over the first move (Hex).")] = False,
    random_plies: Annotated[int, typer.Option(min=0, max=1000, help="Random plies at the start of each game.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where games and report are kept.")] = None,
    seed: Seed = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Measure how balanced a game is: seats, draws, length, choices, decisions, leads and skill, with intervals."""
    from boardlab.balance.plan import Wish
    from boardlab.cli.balance import run

    levels, agents = tuple(level or ()), tuple(agent or ())
    run(Wish(game, levels, agents, games, budget, pie, random_plies, seed), out, workers, json_wanted=json)


@app.command()
def arena(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="FILE.py:CLASS", help="A game of your own; repeat the option for more."),
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="FILE.py:CLASS", help="An agent of your own to offer.")
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="FILE.py:CLASS", help="A step-size rule of your own to offer.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIRECTORY", help="Where data is kept; $BOARDLAB_DATA or ~/.local/share/boardlab when left out."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="The port; 8000, or the next free one, when left out.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; this machine only when left out.")] = None,
    sweeps: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder of sweeps to show; ./sweeps and ./reproductions when left out. Repeat the option for more.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="NAME=VALUE", help="A setting, such as seconds_per_move=20 or league=false."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Open the arena in the browser: play, watch, inspect and train."""
    from boardlab.cli.arena import run

    run(
        data=data,
        host=host,
        port=port,
        games=game or [],
        agents=agent or [],
        rules=rule or [],
        sweeps=sweeps or [],
        options=option or [],
        browser=not no_browser,
    )


@app.command()
def train(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="The game to learn.")] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="The agent that learns; that of the preset, else td-ntuple.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Named settings for the game, such as paper.")] = None,
    episodes: Annotated[
        int | None, typer.Option("--episodes", "-n", min=1, max=10**9, help="Training episodes in total.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="A parameter, such as alpha=0.5.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Read parameters, or all of this, from a file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE.agent", help="Where to save the agent.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE.agent", help="Continue training this agent.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Threads that train one network together; one when left out.")
    ] = None,
    seed: Seed = None,
    evaluator: Annotated[str | None, typer.Option(metavar="NAME", help="How playing strength is measured.")] = None,
    against: Annotated[str | None, typer.Option(metavar="AGENT", help="The opponent in evaluations.")] = None,
    evaluate_every: Annotated[
        int | None, typer.Option(min=1, help="Episodes between evaluations; a twentieth of all when left out.")
    ] = None,
    evaluation_games: Annotated[int | None, typer.Option(min=1, max=_MOST_GAMES, help="Games per evaluation.")] = None,
    also: Annotated[
        str | None, typer.Option(metavar="EVALUATOR", help="A second evaluator, in the same learning curve.")
    ] = None,
    stop_at: Annotated[
        float | None, typer.Option(metavar="RESULT", help="End early when evaluations reach this result.")
    ] = None,
    in_a_row: Annotated[
        int | None, typer.Option(min=1, max=1000, help="So many evaluations in a row must reach it; one when left out.")
    ] = None,
    from_games: Annotated[
        str | None, typer.Option("--from", metavar="GAMES.jsonl", help="Learn from these games, not by self-play.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="FILE.npz", help="Begin with these weights (see boardlab export).")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say how long it takes and how much memory.")] = False,
) -> None:
    """Learn a game by self-play. boardlab agents NAME lists the parameters of an agent, such as td-ntuple."""
    from boardlab.cli.train import run

    wish = {
        **{"game": game, "agent": agent, "preset": preset, "episodes": episodes, "seed": seed, "threads": threads},
        **{"evaluator": evaluator, "against": against},
        **{"evaluate_every": evaluate_every, "evaluation_games": evaluation_games, "second_evaluator": also},
        **{"stop_at": stop_at, "in_a_row": in_a_row, "from_games": from_games, "weights": weights},
    }
    run(wish, config=config, options=option or [], resume=resume, out=out, only_plan=plan)


for _command in (sweep, report, tune, reproduce):
    app.command()(_command)


@app.command()
def tuples(
    game: GameSpec,
    tuples: Annotated[
        str, typer.Argument(metavar="[TUPLES]", help="A set of the game, walk:70x8, points:30x5 or a JSON file.")
    ] = "default",
    seed: Annotated[int, typer.Option(min=0, help="The seed of random tuples.")] = 1,
    out: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw them to this file.")] = None,
) -> None:
    """List the n-tuples of a game, and draw them."""
    from boardlab.cli.tuples import run

    run(game, tuples, seed, out)


@app.command()
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE.agent", help="An agent file.")],
    json: Json = False,
) -> None:
    """Show what is in an agent file."""
    from boardlab.cli.info import run

    run(file, json=json)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.agent", help="An agent file.")],
    out: Annotated[Path, typer.Argument(metavar="WEIGHTS.npz", help="Where to write the weights.")],
) -> None:
    """Write the weights of an agent alone to a NumPy file. boardlab train --weights begins with them."""
    from boardlab.cli.export import run

    run(file, out)


@app.command()
def check(
    what: Annotated[
        list[str],
        typer.Argument(metavar="GAME | agent AGENT GAME", help="A game; or the word agent, an agent and its game."),
    ],
    games: Annotated[
        int | None, typer.Option(min=1, max=10**9, help="A game: how many random games to play; 1000 when left out.")
    ] = None,
    positions: Annotated[
        int | None, typer.Option(min=1, max=10**9, help="An agent: in how many positions to ask; 100 when left out.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the random games.")] = 1,
) -> None:
    """Check the rules of a game in random play, or what an agent promises."""
    from boardlab.cli.check import run

    run(what, games, positions, seed)


@app.command()
def perft(
    game: GameSpec,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, help="Number of actions.")],
    positions: Annotated[bool, typer.Option("--positions", help="Count distinct positions as well.")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of actions from the start position."""
    from boardlab.cli.perft import run

    run(game, depth, positions=positions, json=json)


@app.command()
def solve(
    game: GameSpec,
    moves: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MOVES]...", help="The moves so far, such as 4453, 'a1 b2' or a1-b1,b1-c1."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the exact value of a position and of its moves. Also shows how many plies are left."""
    from boardlab.cli.solve import run

    run(game, moves or [], json=json)


@app.command()
def book(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, or dots:rows=4,columns=4.")] = "connect4",
    plies: Annotated[int | None, typer.Option(min=1, max=12, help="How many moves the book covers.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE", help="Collect results here, or continue them.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write the finished book.")] = None,
    megabytes: Annotated[int, typer.Option(min=1, help="Memory for solved positions.")] = 4096,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads that solve together.")] = 2,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after this many minutes.")] = None,
) -> None:
    """Make the opening book of a perfect player. It takes hours; it can be interrupted and resumed."""
    from boardlab.cli.book import run

    run(game, plies, resume=resume, out=out, megabytes=megabytes, threads=threads, minutes=minutes)


@app.command()
def positions(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write them, as text packed by gzip.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="The game; connect4 so far.")] = "connect4",
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Positions of each of the six sets.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the random games; 1 gives the set of the package.")] = 1,
    megabytes: Annotated[int, typer.Option(min=1, max=65_536, help="Memory for solved positions.")] = 512,
) -> None:
    """Make the positions with exact values that c4-mistakes asks agents about. It takes about 20 minutes."""
    from boardlab.cli.positions import run

    run(game, count, seed, megabytes, out)
