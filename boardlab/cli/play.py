"""`boardlab play`: a game in the terminal, with a person or an agent on any seat.

Works the same with a keyboard and with moves piped in. All chance comes from the seed: chance events and the agent
of every seat have streams of their own, so what one of them draws does not depend on the others.
"""

from __future__ import annotations

import contextlib
import re
import sys

from rich.text import Text

from boardlab.agents.base import Agent
from boardlab.agents.registry import agent_classes, make_agent
from boardlab.cli.output import console
from boardlab.errors import BoardlabError, IllegalAction, UnknownName, unknown_name
from boardlab.game import Game, action_list
from boardlab.position import Position
from boardlab.registry import make
from boardlab.rng import fresh_seed, make_rng

__all__ = ["run"]

_COLOURS = {"X": "bold blue", "O": "bold red", "Y": "bold green"}
_MARKS = re.compile(r"(?<!\w)[XOY](?!\w)")


def run(spec: str, seats: list[str], seed: int | None) -> None:
    """Play one game; seats beyond the given ones are taken by the random agent."""
    game = make(spec)
    if len(seats) > game.num_players:
        raise BoardlabError(f"{game.title} has {game.num_players} seats, not {len(seats)}")
    taken = seats + ["random"] * (game.num_players - len(seats))
    _Session(game, [_player(who, game) for who in taken], fresh_seed() if seed is None else seed).play()


def _player(who: str, game: Game) -> Agent | None:
    """The agent of a seat, or None for a person."""
    if who == "human":
        return None
    try:
        return make_agent(who, game)
    except UnknownName:
        if ":" in who:
            raise
        raise unknown_name("player", who, ["human", *agent_classes()]) from None


class _Leave(Exception):
    """The person has had enough."""


class _Session:
    """One game between `players`: for each seat an agent, or None for a person."""

    def __init__(self, game: Game, players: list[Agent | None], seed: int) -> None:
        self.game, self.players, self.seed = game, players, seed
        self.position = Position(game)
        self.chance = make_rng(seed)
        self.streams = [make_rng(seed, 1 + p) for p in range(game.num_players)]
        self.out = console()

    def play(self) -> None:
        """From the first word to the result, or until the person leaves."""
        who = [f"{self.game.player_name(p)} is {a.spec if a else 'you'}" for p, a in enumerate(self.players)]
        self.out.print(f"{self.game.title}: {', '.join(who)}. Seed {self.seed}.")
        if None in self.players:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 (gives the prompt its line editing and history)
            self.out.print("Type a move. 'moves' lists the legal ones, 'help' explains more.")
        try:
            while True:
                self._roll()
                self._draw()
                if self.position.is_over:
                    break
                self._step()
        except _Leave:
            self.out.print("The game is left unfinished.")

    def _roll(self) -> None:
        """Let the chance events happen that are due, and tell them."""
        before = len(self.position.history)
        self.position.roll(self.chance)
        events = [self.game.outcome_name(e.number) for e in self.position.history[before:]]
        if events:
            self.out.print(f"chance: {', '.join(events)}")

    def _draw(self) -> None:
        """Show the board, and the result or the scores so far."""
        self.out.print()
        self.out.print(coloured(self.game.describe(self.position.state)))
        if self.position.is_over:
            status = self.position.status
            self.out.print(coloured(f"\n{status[0].upper()}{status[1:]}."))
        elif any(self.position.scores):
            self.out.print(coloured(self._scores_text()))

    def _scores_text(self) -> str:
        scores = self.position.scores
        if len(scores) == 1:
            return f"score {scores[0]:g}"
        return "score: " + ", ".join(f"{self.game.player_name(p)} {x:g}" for p, x in enumerate(scores))

    def _step(self) -> None:
        """One move of an agent, or as many entries of the person as it takes to make one or take one back."""
        player = self.position.player
        name = self.game.player_name(player)
        agent = self.players[player]
        if agent is None:
            while not self._enter(self._read(f"{name}: ")):
                pass
            return
        action = agent.choose(self.position, self.streams[player])
        self.position.play(action)
        self.out.print(coloured(f"{name} ({agent.spec}): {self.game.action_name(action)}"))

    def _read(self, prompt: str) -> str:
        try:
            text = input(prompt).strip()
        except EOFError:
            self.out.print()
            raise _Leave from None
        if not sys.stdin.isatty():
            self.out.print(text)  # a transcript of piped moves shall show them
        return text

    def _enter(self, text: str) -> bool:
        """Do what the person says; whether the position has changed."""
        command = text.lower()
        if command in ("quit", "exit", "q"):
            raise _Leave
        if command in ("help", "?", "h"):
            self.out.print(self._help_text())
        elif command == "moves":
            self.out.print(" ".join(self.game.action_name(a) for a in self.position.legal_actions))
        elif command == "undo":
            return self._undo()
        elif text:
            return self._move(text)
        return False

    def _move(self, text: str) -> bool:
        try:
            self.position.play(text)
        except IllegalAction as error:
            self.out.print(f"{error}.")
        except BoardlabError as error:
            self.out.print(f"{error}. Legal here: {action_list(self.game, self.position.legal_actions)}.")
        else:
            return True
        return False

    def _undo(self) -> bool:
        """Take back the person's last move and all that followed it."""
        mine = [e for e in self.position.history if e.player is not None and self.players[e.player] is None]
        if not mine:
            self.out.print("There is no move of yours to take back.")
            return False
        last = None
        while last is not mine[-1]:
            last = [e for e in self.position.history if e.player is not None][-1]
            self.position.undo()
        self.out.print(f"Taken back: {self.game.action_name(mine[-1].number)}.")
        return True

    def _help_text(self) -> str:
        rules = " ".join((type(self.game).__doc__ or "").split())
        example = self.game.action_name(self.position.legal_actions[0])
        return (
            f"{rules}\n"
            f"  {example:8s} a move, by its name\n"
            "  moves    the legal moves\n"
            "  undo     take back your last move, and what followed it\n"
            "  help     this text\n"
            "  quit     leave the game"
        )


def coloured(text: str) -> Text:
    """The text with the players' marks, standing alone, in the colours of the players."""
    result = Text(text)
    for match in _MARKS.finditer(text):
        result.stylize(_COLOURS[match.group()], *match.span())
    return result
