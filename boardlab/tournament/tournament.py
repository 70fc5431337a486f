"""A tournament from the wish to the result: a folder with its journal, more games, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.registry import make
from boardlab.tournament.journal import Journal, PlayedGame, read_journal
from boardlab.tournament.plan import Format
from boardlab.tournament.ratings import SAMPLES
from boardlab.tournament.result import TournamentResult, judge, read_anchor
from boardlab.tournament.running import Crew, Lost, Told, open_crew, run_format
from boardlab.tournament.speed import Speed
from boardlab.tournament.standings import Field
from boardlab.tournament.wish import TournamentWish, make_format, read_wish

__all__ = ["JOURNAL", "Tournament", "play_tournament", "usual_folder"]

JOURNAL = "journal.jsonl"


class Tournament:
    """A tournament in a folder. What was played there before counts, and is not played again."""

    def __init__(self, wish: TournamentWish, folder: Path) -> None:
        self.wish, self.folder = wish, folder
        self.game: Game = make(wish.game)
        self.format: Format | None = make_format(wish, self.game) if wish.agents else None
        self.lost: list[Lost] = []
        self.speed = ""
        """How fast the games were played that `play` has added, in a sentence; empty where there were none."""

    @property
    def journal(self) -> Path:
        """Its journal."""
        return self.folder / JOURNAL

    def play(
        self,
        *,
        workers: int = 1,
        cluster: str | None = None,
        merge: Sequence[Path] = (),
        told: Told | None = None,
        opened: Callable[[Crew], None] | None = None,
    ) -> None:
        """Play what is missing, after the games of other journals were taken over: in so many processes, or by the
        workers of the Dask scheduler at the address `cluster`. `opened` is told who plays, `told` of every game."""
        for path in merge:
            _require_one_game(path, read_journal(path), self.game)
        with Journal(self.journal) as journal:
            _require_one_game(self.journal, journal.games.values(), self.game)
            journal.merge(merge)
            if self.format is not None:
                self._require_anchor(self.format, journal)
                speed = Speed(told)
                with open_crew(workers, cluster) as crew:
                    if opened is not None:
                        opened(crew)
                    self.lost = run_format(self.format, journal, crew, limit=self.wish.move_limit, told=speed.saw)
                    self.speed = speed.words(crew)

    def _require_anchor(self, format_: Format, journal: Journal) -> None:
        """Refuse an anchor that nobody is, before the games are played."""
        names = [entrant.name for entrant in format_.entrants] + Field(journal.games.values()).names
        read_anchor([*dict.fromkeys(names)], self.wish.anchor)

    def games(self) -> list[PlayedGame]:
        """All games so far."""
        return read_journal(self.journal) if self.journal.exists() else []

    def result(self, progress: Callable[[int, int], None] | None = None, *, samples: int = SAMPLES) -> TournamentResult:
        """What the games so far say; the intervals come from so many samples."""
        games = self.games()
        report = self.format.report({game.id: game for game in games}) if self.format else []
        lost = [f"{' - '.join(e.name for e in x.game.seats)} could not be played: {x.reason}" for x in self.lost]
        wish = self.wish
        return judge(
            self.game,
            games,
            anchor=wish.anchor,
            prior=wish.prior,
            samples=samples,
            report=[*report, *lost],
            progress=progress,
        )


def play_tournament(
    game: str, *agents: str, folder: str | Path, workers: int = 1, **settings: object
) -> TournamentResult:
    """Let agents meet, and return what came of it: `play_tournament("tictactoe", "random", "mcts", folder="t")`.
    Settings are those of a `TournamentWish`. The same call goes on where it was stopped."""
    made = Tournament(read_wish({"game": game, "agents": list(agents), **settings}), Path(folder))
    made.play(workers=workers)
    return made.result()


def usual_folder(game: Game) -> Path:
    """Where a tournament of a game is kept when nobody says."""
    name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in game.spec)
    return Path("tournaments") / name


def _require_one_game(path: Path, games: Iterable[PlayedGame], game: Game) -> None:
    others = {played.game for played in games} - {game.spec}
    if others:
        raise BoardlabError(f"{path} has games of {', '.join(sorted(others))}; take another --folder for {game.spec}")
