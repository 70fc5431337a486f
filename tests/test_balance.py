"""How balanced a game is: the figures against what is known of small games, the journal, the page and the command."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_games import Dice
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make
from boardlab.balance.course import course_of, decided_at, lead_changes
from boardlab.balance.figures import (
    BalanceReport,
    imbalance_of,
    most_balanced,
    shares_of,
    skill_step,
    steps_by_score,
    total_skill,
)
from boardlab.balance.measure import measure_balance, measurement
from boardlab.balance.page import page
from boardlab.balance.plan import Wish
from boardlab.balance.ranges import games_of
from boardlab.balance.report import report_text
from boardlab.cli.main import app
from boardlab.matches.intervals import Estimate
from boardlab.matches.play import GameRecord
from boardlab.position import Event

TICTACTOE = make("tictactoe")
ALICE = "mcts:iterations=10"
PLAIN = Path(__file__).parent / "plain_agents.py"
ANYONE = f"{PLAIN}:Anyone"
"""Random play that is not compiled."""


def measured(spec: str, folder: Path, **settings: Any) -> BalanceReport:
    settings = {"levels": [ANYONE], "games": 40, "seed": 1, "workers": 1, **settings}
    return measure_balance(spec, folder, **settings)


# ------------------------------------------------------------ ranges


def test_ranges_stand_for_several_games() -> None:
    assert games_of("hex:size=4..6") == [(f"hex:size={k}", {"size": k}) for k in (4, 5, 6)]
    both = [spec for spec, _ in games_of("connect4:columns=5..6,rows=4..5")]
    assert both == [f"connect4:columns={c},rows={r}" for c in (5, 6) for r in (4, 5)]
    assert games_of("my/file.py:Game:a=1..2,b=x")[1] == ("my/file.py:Game:a=2,b=x", {"a": 2})
    assert games_of("tictactoe") == [("tictactoe", {})]


@pytest.mark.parametrize(("spec", "words"), [("hex:size=7..4", "is empty"), ("nim:stones=1..9999", "100 are the most")])
def test_ranges_that_are_none(spec: str, words: str) -> None:
    with pytest.raises(BoardlabError, match=words):
        games_of(spec)


def test_a_value_outside_of_its_range_is_told(tmp_path: Path) -> None:
    with pytest.raises(BoardlabError, match="size is a whole number from 2 to 11"):
        measured("hex:size=11..12", tmp_path)


# ------------------------------------------------------------ the course of a game


def test_when_a_game_is_decided() -> None:
    assert decided_at([None, 0, 1, 1], 1) == 0.5
    assert decided_at([1, 1, 1, 1], 1) == 0.0
    assert decided_at([0, 0, None, 0], 0) == 0.75
    assert decided_at([0, 0], 1) == 1.0
    assert decided_at([0, None, None, None], None) == 0.25


def test_how_often_the_lead_changes() -> None:
    assert lead_changes([None, 0, None, 0, 1, None, 1, 0]) == 2
    assert lead_changes([]) == lead_changes([None, 2, 2]) == 0


def record_of(moves: str, opinions: tuple[float | None, ...] = ()) -> GameRecord:
    position = TICTACTOE.start()
    for name in moves.split():
        position.play(name)
    events = tuple(Event(event.player, event.number) for event in position.history)
    return GameRecord((0, 1), tuple(position.scores), (0, 0), (0.0, 0.0), events, opinions=opinions)


def test_the_course_of_a_game_by_exact_values_and_by_opinions() -> None:
    """X a1, O b1 (a mistake), X b2, O c1, X c3 wins: X leads from his second move on."""
    from boardlab.solvers.judge import Judge

    record = record_of("a1 b1 b2 c1 c3")
    exact = course_of(TICTACTOE, record, None, Judge(TICTACTOE).scores)
    assert (exact.plies, exact.choices) == (5, 7.0)
    assert (exact.decided, exact.lead_changes) == (2 / 5, 0)
    assert course_of(TICTACTOE, record, None).decided is None
    told = record_of("a1 b1 b2 c1 c3", (0.1, 0.3, 0.6, -0.9, 1.0))  # O leads from the start until X's second move
    course = course_of(TICTACTOE, told, None)
    assert (course.decided, course.lead_changes) == (2 / 5, 1)


def test_the_course_of_a_game_from_another_start() -> None:
    start = TICTACTOE.start().play("a1").play("b1")
    record = GameRecord((0, 1), (1.0, -1.0), (2, 1), (0.0, 0.0), record_of("a1 b1 b2 c1 c3").events[2:])
    assert course_of(TICTACTOE, record, start.state.tobytes()).choices == 6.0


# ------------------------------------------------------------ figures


def test_a_win_is_shared_by_those_who_have_it() -> None:
    assert shares_of([3.0, 3.0, 1.0]) == [0.5, 0.5, 0.0]
    assert shares_of([0.0, 0.0]) == [0.5, 0.5]
    assert shares_of([-1.0, 1.0]) == [0.0, 1.0]


def test_the_imbalance_is_that_of_the_seat_farthest_from_its_share() -> None:
    seats = [Estimate(0.6, 0.55, 0.65, 100), Estimate(0.4, 0.35, 0.45, 100)]
    found = imbalance_of(seats)
    assert (found.mean, found.low, found.high) == pytest.approx((0.1, 0.05, 0.15))
    assert imbalance_of([Estimate(0.52, 0.45, 0.6, 9), Estimate(0.48, 0.4, 0.55, 9)]).low == 0.0


def test_skill_in_elo() -> None:
    def won(share: int, players: int) -> list[GameRecord]:
        rows = [[1.0] + [0.0] * (players - 1), [0.0, 1.0] + [0.0] * (players - 2)]
        return [GameRecord((0, 1), tuple(rows[k >= share]), (), ()) for k in range(1000)]

    step = skill_step(("a", "b"), won(760, 2), [0] * 1000, 2)
    assert step.elo == pytest.approx(200, abs=2)  # 76 % is 200 Elo
    assert step.elo_low is not None and step.elo_high is not None
    assert step.elo_low < 200 < step.elo_high
    assert skill_step(("a", "b"), won(333, 3), [0] * 1000, 3).elo == pytest.approx(0, abs=2)  # a third of three is even
    sure = skill_step(("a", "b"), won(1000, 2), [0] * 1000, 2)
    assert sure.elo_high is None
    total, _, high = total_skill([step, step])
    assert total == 2 * step.elo
    assert high is not None and high - total == pytest.approx(2**0.5 * (step.elo_high - step.elo))
    assert total_skill([step, sure])[2] is None


def test_skill_of_one_player_is_how_often_he_scores_more() -> None:
    levels = [(str(k), [GameRecord((0,), (float(k + n % 2),), (), ()) for n in range(10)]) for k in range(2)]
    steps = steps_by_score(levels)
    assert [(step.stronger, step.weaker, step.share.mean) for step in steps] == [("1", "0", 1.0)]


@cache
def random_chances(state: bytes) -> tuple[float, float, float]:
    """The chances that X wins, O wins and nobody wins if both play at random."""
    position = Position(TICTACTOE, np.frombuffer(state, TICTACTOE.state)[0])
    if position.is_over:
        return float(position.scores[0] > 0), float(position.scores[0] < 0), float(position.scores[0] == 0)
    after = [random_chances(position.copy().play(a).state.tobytes()) for a in position.legal_actions]
    return tuple(sum(row[k] for row in after) / len(after) for k in range(3))  # type: ignore[return-value]


def test_random_play_of_tictactoe_is_as_the_whole_tree_says(tmp_path: Path) -> None:
    x, o, drawn = random_chances(TICTACTOE.start().state.tobytes())
    assert x == pytest.approx(0.585, abs=0.001)
    level = measured("tictactoe", tmp_path, games=600).games[0].levels[0]
    assert level.shares[0].low < x + drawn / 2 < level.shares[0].high
    assert level.shares[1].low < o + drawn / 2 < level.shares[1].high
    assert level.draws is not None and level.draws.low < drawn < level.draws.high
    assert level.spread[0] >= 5 and level.spread[-1] == 9


def test_perfect_play_is_even_where_the_game_is_and_decided_at_once(tmp_path: Path) -> None:
    game = measured("tictactoe", tmp_path, levels=[ANYONE, "perfect"], games=20).games[0]
    level = game.levels[1]
    assert game.perfect == (0.0, 0.0)
    assert level.imbalance is not None and level.imbalance.mean == 0.0
    assert level.draws is not None and level.draws.mean == 1.0
    assert level.decided is not None and level.decided.mean == 0.0
    assert game.steps[0].share.mean > 0.9
    assert game.led_by == "exact values"
    nim = measured("nim", tmp_path / "nim", levels=["perfect"], games=10).games[0]  # 3 heaps of 5: nim-sum 5, won
    assert nim.perfect == (1.0, -1.0)
    assert [share.mean for share in nim.levels[0].shares] == [1.0, 0.0]


def test_three_players(tmp_path: Path) -> None:
    level = measured("nim:players=3", tmp_path, games=30).games[0].levels[0]
    assert sum(share.mean for share in level.shares) == pytest.approx(1.0)


@pytest.mark.slow
def test_a_game_of_ones_own_with_chance(tmp_path: Path) -> None:
    path = Path(__file__).parent / "small_games.py"
    dice = measured(f"{path}:Dice", tmp_path, levels=["random", ALICE], games=12).games[0]
    assert dice.levels[1].lead_changes is not None
    assert len(dice.players) == Dice.num_players
    assert dice.levels[0].plies.mean == 9.0


def test_a_game_of_one_player_has_scores_and_no_seats(tmp_path: Path) -> None:
    report = measured("2048", tmp_path, games=4)
    level = report.games[0].levels[0]
    assert (level.shares, level.imbalance, level.draws) == ((), None, None)
    assert level.scores[0].low < level.scores[0].mean < level.scores[0].high
    assert "seat advantage" not in report_text(report)
    assert "<h3>Seat" not in page(report)


def test_the_pie_rule_is_counted_for_who_began(tmp_path: Path) -> None:
    report = measured("hex:size=3", tmp_path, levels=["perfect"], games=12, pie=True)
    level = report.games[0].levels[0]
    assert [share.mean for share in level.shares] == [0.0, 1.0]
    assert level.taken_over is not None and 0.0 < level.taken_over.mean < 1.0
    assert "with perfect play: the first player wins where nobody may take over the first move (1 : -1)" in (
        report_text(report)
    )
    with pytest.raises(BoardlabError, match="does not declare the pie rule"):
        measured("tictactoe", tmp_path / "other", pie=True)


def test_an_agent_that_repeats_its_game_counts_as_one(tmp_path: Path) -> None:
    first = f"{PLAIN}:First"
    report = measured("tictactoe", tmp_path / "a", levels=[first], games=10)
    level = report.games[0].levels[0]
    assert (level.games, level.distinct) == (1, 1)
    assert level.shares[0].low < 0.5
    assert "the same game again and again" in report_text(report)
    varied = measured("tictactoe", tmp_path / "b", levels=[first], games=10, random_plies=2)
    assert varied.games[0].levels[0].distinct > 1


# ------------------------------------------------------------ a range


def test_the_most_balanced_value_of_a_range(tmp_path: Path) -> None:
    """Nim with one heap: who begins takes it all. With two equal heaps the second player wins."""
    report = measured("nim:heaps=1..2,stones=3", tmp_path, games=400)
    best = most_balanced(report.games)
    assert best is not None
    shares = {game.varied["heaps"]: game.levels[0].shares[0].mean for game in report.games}
    assert best[0].varied["heaps"] == min(shares, key=lambda heaps: abs(shares[heaps] - 0.5))
    assert report.to_json()["most_balanced"]["game"] == best[0].game
    text = report_text(report)
    assert f"most balanced at {ANYONE}: heaps=" in text
    assert most_balanced(report.games[:1]) is None


# ------------------------------------------------------------ journal


def test_a_measurement_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    whole = measured("tictactoe", tmp_path / "whole", levels=[ANYONE, ALICE], games=10).to_json()

    def interrupt(done: int, total: int) -> None:
        assert total == 30
        if done == 13:
            raise KeyboardInterrupt

    settings: dict[str, Any] = {"levels": [ANYONE, ALICE], "games": 10}
    with pytest.raises(KeyboardInterrupt):
        measured("tictactoe", tmp_path / "parts", **settings, progress=interrupt)
    games = tmp_path / "parts" / "games.jsonl"
    assert games.read_bytes().count(b"\n") == 13
    with games.open("ab") as stream:
        stream.write(b'{"place":[0,1,')  # what kill -9 may leave behind
    seen: list[int] = []
    parts = measured("tictactoe", tmp_path / "parts", **settings, progress=lambda done, _: seen.append(done))
    assert parts.to_json() == whole
    assert seen[0] == 13 and seen[-1] == 30


def test_another_measurement_in_the_folder_is_told(tmp_path: Path) -> None:
    measured("tictactoe", tmp_path, games=2)
    with pytest.raises(BoardlabError, match="another measurement, of tictactoe"):
        measured("tictactoe", tmp_path, games=4)
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(BoardlabError, match="no plan"):
        measured("tictactoe", tmp_path, games=2)


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    measured("tictactoe", tmp_path, games=2)
    (tmp_path / "games.jsonl").write_text("nonsense\n")
    with pytest.raises(BoardlabError, match=r"line 1 of .* is no game"):
        measured("tictactoe", tmp_path, games=2)


@pytest.mark.slow
def test_several_processes_play_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.matches.play.TRIAL_SECONDS", 0.0)
    monkeypatch.setattr("boardlab.matches.play.WORTH_THE_START", 0.0)
    settings: dict[str, Any] = {"levels": ["random", "mcts:iterations=200"], "games": 20}
    one = measured("tictactoe", tmp_path / "one", **settings, workers=1).to_json()
    assert measured("tictactoe", tmp_path / "two", **settings, workers=2).to_json() == one


# ------------------------------------------------------------ the plan


def test_the_plan_fits_into_the_budget(tmp_path: Path) -> None:
    short, _ = measurement(Wish("tictactoe", minutes=0.05, seed=1), tmp_path / "short", 1)
    long, _ = measurement(Wish("tictactoe", minutes=5.0, seed=1), tmp_path / "long", 1)
    assert len(short.games[0].levels) <= len(long.games[0].levels)
    assert short.games[0].jobs[0].games <= long.games[0].jobs[0].games <= 1000
    assert "perfect" in long.games[0].levels
    assert long.games[0].seconds < 300
    assert ("perfect", "mcts:iterations=6400") in [job.agents for job in long.games[0].jobs]


# ------------------------------------------------------------ page and command


def test_the_command_writes_page_figures_and_pictures(tmp_path: Path) -> None:
    out = tmp_path / "out"
    levels = ["--level", ANYONE, "--level", ALICE]
    arguments = ["balance", "tictactoe", *levels, "--games", "12", "--seed", "1", "--workers", "1", "--out", str(out)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "36 games in all" in result.stdout
    assert "give the same command again to go on" in result.stdout
    for name in ("seats", "plies", "decided", "skill"):
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (out / f"{name}.svg").read_bytes()
    assert (out / "balance.txt").read_text().strip() in result.stdout
    html = (out / "balance.html").read_text()
    assert not re.search(r'(src|href)="(?!data:)', html)
    assert html.count("<img") == 4
    again = CliRunner().invoke(app, [*arguments, "--json"])
    assert json.loads(again.stdout) == json.loads((out / "balance.json").read_text())


def test_the_page_escapes_what_users_name(tmp_path: Path) -> None:
    report = measured("tictactoe", tmp_path, games=2)
    game = report.games[0]
    named = type(game)(**{**vars(game), "title": "<script>", "players": ("<b>", "O")})
    assert "<script>" not in page(BalanceReport(1, False, 0, (named,)))
    assert "&lt;b&gt;" in page(BalanceReport(1, False, 0, (named,)))


def test_the_page_fits_a_telephone(tmp_path: Path, chromium: Any) -> None:
    report = measured("nim:stones=3..4", tmp_path, games=6)
    (tmp_path / "page.html").write_text(page(report))
    for width in (1280, 390):
        view = chromium.new_page(viewport={"width": width, "height": 800})
        view.goto((tmp_path / "page.html").as_uri())
        assert view.evaluate("document.documentElement.scrollWidth") == width
        assert view.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
        view.close()
