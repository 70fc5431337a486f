"""Who meets whom, where games start, and what a game is known by."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from boardlab import BoardlabError, make
from boardlab.tournament.entrants import Budget, Entrant, enter, fingerprint
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.plan import Format, Gauntlet, Knockout, RoundRobin, Swiss, place_points
from boardlab.tournament.sets import PlannedGame, Sets, seatings_of
from boardlab.tournament.starts import Start, random_plies, starts_of, symmetry_key
from boardlab.tournament.wish import TournamentWish, make_format, read_tournament_file, read_wish


def entrants(count: int) -> list[Entrant]:
    return [Entrant(f"e{i}", f"e{i}", f"e{i}") for i in range(count)]


def sets(starts: int = 1) -> Sets:
    return Sets("tictactoe", [Start((i,)) for i in range(starts)], 1)


def result(game: PlannedGame, scores: list[float]) -> PlayedGame:
    zeros = [0 for _ in scores]
    return PlayedGame.model_validate(
        {
            **{"id": game.id, "set": game.set, "game": game.game, "number": game.number, "seed": game.seed},
            **{"seats": [e.name for e in game.seats], "agents": [e.key for e in game.seats], "start": 0, "events": []},
            **{"scores": scores, "moves": zeros, "timed": zeros, "seconds": zeros, "cpu": zeros},
        }
    )


def play_out(format_: Format, strength: dict[str, float]) -> dict[str, PlayedGame]:
    """All games of a format, where the stronger one wins; equal ones draw."""
    results: dict[str, PlayedGame] = {}
    for _ in range(200):
        todo = [game for game in format_.wanted(results) if game.id not in results]
        if not todo:
            return results
        for game in todo:
            results[game.id] = result(game, [strength[e.name] for e in game.seats])
    raise AssertionError("it does not end")


# ------------------------------------------------------------ formats


def test_in_a_round_robin_every_pair_meets_in_all_seats_from_every_start() -> None:
    wanted = RoundRobin(entrants(4), 2, sets(3), 10).wanted({})
    pairs = Counter(tuple(e.name for e in game.seats) for game in wanted)
    assert pairs == {(a, b): 5 for a in pairs_of(4) for b in pairs_of(4) if a != b}
    assert len({game.id for game in wanted}) == 60
    assert {len(group) for group in by_set(wanted).values()} == {2}
    assert {frozenset(game.seats) for game in wanted[:12]} == {frozenset(p) for p in combinations(entrants(4), 2)}
    first = [game for game in wanted if {e.name for e in game.seats} == {"e0", "e1"}]
    assert [(game.start.events[0], game.number) for game in first[::2]] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]


def pairs_of(count: int) -> list[str]:
    return [f"e{i}" for i in range(count)]


def by_set(games: list[PlannedGame]) -> dict[str, list[PlannedGame]]:
    found: dict[str, list[PlannedGame]] = {}
    for game in games:
        found.setdefault(game.set, []).append(game)
    return found


def test_three_players_have_all_seat_orders() -> None:
    wanted = RoundRobin(entrants(4), 3, sets(), 6).wanted({})
    assert len(wanted) == 4 * 6
    assert all(len({game.seats for game in group}) == 6 for group in by_set(wanted).values())
    assert len(seatings_of(entrants(5))) == 5  # 120 orders would be too many: all rotations


def test_few_agents_take_several_seats() -> None:
    wanted = RoundRobin(entrants(2), 3, sets(), 3).wanted({})
    assert Counter(tuple(e.name for e in game.seats).count("e0") for game in wanted) == {2: 3, 1: 3}


def test_who_plays_alone_is_compared_with_the_others() -> None:
    wanted = RoundRobin(entrants(3), 1, sets(), 2).wanted({})
    assert len(wanted) == 6
    assert sorted(map(len, by_set(wanted).values())) == [3, 3]


def test_a_gauntlet() -> None:
    wanted = Gauntlet(entrants(5), 2, sets(), 2, challengers=2).wanted({})
    met = {frozenset(e.name for e in game.seats) for game in wanted}
    assert met == {frozenset((f"e{i}", f"e{j}")) for i in (0, 1) for j in (2, 3, 4)}
    with pytest.raises(BoardlabError, match="in a gauntlet of 3 agents 3 cannot be the challengers"):
        Gauntlet(entrants(3), 2, sets(), 2, challengers=3)


def test_who_plays_alone_has_no_gauntlet() -> None:
    with pytest.raises(BoardlabError, match="Gauntlet is for games of two players or more; those who play alone meet"):
        Gauntlet(entrants(3), 1, sets(), 2)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("games", [1, 5])
def test_games_are_counted_before_they_are_planned(count: int, players: int, games: int) -> None:
    strength = {f"e{i}": float((i * 5) % 8) for i in range(count)}
    formats: list[Format] = [RoundRobin(entrants(count), players, sets(), games)]
    if players > 1:
        formats.append(Gauntlet(entrants(count), players, sets(), games, challengers=max(1, count // 3)))
    if 1 < players <= count:
        formats += [Swiss(entrants(count), players, sets(), games), Knockout(entrants(count), players, sets(), games)]
    for format_ in formats:
        results = play_out(format_, strength)
        assert format_.expected_games() == len(results), format_
        assert all(len(game.seats) == players for game in results.values()), "no table has an empty seat"


def test_games_beyond_all_memory_are_counted_at_once() -> None:
    assert RoundRobin(entrants(200), 6, sets(), 1_000_000).expected_games() == 82_408_626_300 * 1_000_002


@pytest.mark.parametrize("count", [8, 13])
def test_in_the_swiss_system_nobody_meets_twice(count: int) -> None:
    strength = {f"e{i}": float((i * 7) % count) for i in range(count)}
    swiss = Swiss(entrants(count), 2, sets(), 2, rounds=5)
    results = play_out(swiss, strength)
    met = Counter(frozenset(game.seats) for game in results.values())
    assert set(met.values()) == {2}
    played = Counter(name for game in results.values() for name in game.seats)
    assert max(played.values()) == 10
    assert min(played.values()) >= (10 if count % 2 == 0 else 8)  # nobody rests twice
    head, best, *_ = swiss.report(results)
    assert "5 of 5 rounds" in head
    assert best.split() == ["5.00", max(strength, key=lambda name: strength[name])]


def test_when_all_have_met_some_meet_again() -> None:
    results = play_out(Swiss(entrants(4), 2, sets(), 2, rounds=5), dict.fromkeys(pairs_of(4), 0.0))
    assert len(results) == 5 * 2 * 2
    assert max(Counter(frozenset(game.seats) for game in results.values()).values()) == 4


@pytest.mark.parametrize(("count", "games"), [(2, 1), (5, 4), (8, 7), (11, 10)])
def test_a_knockout_has_one_match_for_each_who_is_out(count: int, games: int) -> None:
    strength = {f"e{i}": float((i * 5) % 11) for i in range(count)}
    knockout = Knockout(entrants(count), 2, sets(), 2)
    results = play_out(knockout, strength)
    assert len(results) == 2 * games
    assert knockout.report(results)[-1] == f"{max(strength, key=lambda n: strength[n])} has won the knockout"


def test_a_shared_first_place_is_played_on_and_then_the_seed_decides() -> None:
    knockout = Knockout(entrants(2), 2, sets(), 2)
    results = play_out(knockout, {"e0": 0.0, "e1": 0.0})
    assert len(results) == 2 * 11
    assert "e0 goes on, by the better seed" in knockout.report(results)[1]


def test_a_knockout_of_three_at_a_table() -> None:
    knockout = Knockout(entrants(7), 3, sets(), 6)
    results = play_out(knockout, {f"e{i}": float(i) for i in range(7)})
    assert knockout.report(results)[-1] == "e6 has won the knockout"
    assert all(len(game.seats) == 3 for game in results.values())


def test_points_of_a_place() -> None:
    assert [place_points([3.0, 1.0, 1.0], seat) for seat in range(3)] == [1.0, 0.25, 0.25]
    assert place_points([1.0, 0.0], 1) == 0.0


def test_too_few_agents() -> None:
    with pytest.raises(BoardlabError, match="a tournament needs two agents at least"):
        RoundRobin(entrants(1), 2, sets(), 2)
    with pytest.raises(BoardlabError, match="Swiss needs 3 agents at least, as many as sit at a table"):
        Swiss(entrants(2), 3, sets(), 2)
    with pytest.raises(BoardlabError, match="Knockout is for games of two players or more"):
        Knockout(entrants(2), 1, sets(), 2)


# ------------------------------------------------------------ identity


def test_a_game_is_known_by_what_defines_it() -> None:
    a, b, c = entrants(3)
    game = PlannedGame("tictactoe", (a, b), Start((1,)), 0, 1)
    others = [
        PlannedGame("nim", (a, b), Start((1,)), 0, 1),
        PlannedGame("tictactoe", (b, a), Start((1,)), 0, 1),
        PlannedGame("tictactoe", (a, c), Start((1,)), 0, 1),
        PlannedGame("tictactoe", (a, b), Start((2,)), 0, 1),
        PlannedGame("tictactoe", (a, b), Start(state="01"), 0, 1),
        PlannedGame("tictactoe", (a, b), Start((1,)), 1, 1),
        PlannedGame("tictactoe", (a, b), Start((1,)), 0, 2),
    ]
    assert len({game.id, *(other.id for other in others)}) == 8
    assert others[1].set == game.set
    elsewhere = PlannedGame("tictactoe", (Entrant("x", "/elsewhere/e0", "e0"), b), Start((1,)), 0, 1)
    assert elsewhere.id == game.id  # names and paths are those of a machine


def test_the_key_of_a_file_is_its_content(tmp_path: Path) -> None:
    one, other = tmp_path / "one.agent", tmp_path / "other.agent"
    one.write_bytes(b"weights")
    other.write_bytes(b"weights")
    assert fingerprint(str(one)) == fingerprint(str(other))
    assert fingerprint(f"n-ply:agent={one},depth=2") == fingerprint(f"n-ply:agent={other},depth=2")
    before = fingerprint(f"n-ply:agent=[puct:agent={one},iterations=5],depth=2")
    one.write_bytes(b"other weights")
    assert fingerprint(str(one)) != fingerprint(str(other))
    assert fingerprint(f"n-ply:agent=[puct:agent={one},iterations=5],depth=2") != before
    assert fingerprint("mcts:time=1", cpu_clock=True) != fingerprint("mcts:time=1")


# ------------------------------------------------------------ entrants


def test_entrants_are_named_and_checked(tmp_path: Path) -> None:
    game = make("tictactoe")
    found = enter(game, ["random", "mcts:exploration=1.0,iterations=5"], names={"random": "Chance"})
    assert [(e.name, e.spec) for e in found] == [("Chance", "random"), ("mcts:iterations=5", "mcts:iterations=5")]
    for texts, sentence in (
        (["random", "random"], "random takes part twice"),
        (["mcts", "mcts:exploration=1"], "mcts takes part twice"),
        (["randon"], "there is no agent 'randon'; did you mean 'random'?"),
        (["c4-perfect"], "connect"),
        ([str(tmp_path)], "there are no agent files"),
        (["x.agent"], "there is no agent file x.agent"),
    ):
        with pytest.raises(BoardlabError, match=re.escape(sentence)):
            enter(game, texts)


def test_a_folder_of_checkpoints(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for number in (2, 10):
        (folder / f"at-{number}.agent").write_bytes(kept.read_bytes() + b"")
    with pytest.raises(BoardlabError, match="run/at-10 and run/at-2 are the same agent"):
        enter(make("tictactoe"), [str(folder)])
    (folder / "at-10.agent").unlink()
    assert [e.name for e in enter(make("tictactoe"), [str(folder), "random"])] == ["run/at-2", "random"]
    with pytest.raises(BoardlabError, match="was trained for tictactoe, it cannot play nim"):
        enter(make("nim"), [str(folder)])


def test_budgets() -> None:
    assert Budget(iterations=7).applied("mcts") == ("mcts:iterations=7", False)
    assert Budget(iterations=7).applied("mcts:exploration=2") == ("mcts:exploration=2,iterations=7", False)
    assert Budget(iterations=7).applied("mcts:time=1") == ("mcts:time=1", False)
    assert Budget(iterations=7).applied("random") == ("random", False)
    assert Budget(cpu_time=0.5).applied("mcts") == ("mcts:time=0.5", True)
    assert Budget(time=0.5).applied("max-n") == ("max-n:time=0.5", False)
    with pytest.raises(BoardlabError, match="seconds by the clock or seconds of CPU time, not both"):
        Budget(time=1.0, cpu_time=1.0)


# ------------------------------------------------------------ starts


@pytest.mark.parametrize(("spec", "plies", "count"), [("tictactoe", 1, 3), ("tictactoe", 2, 12), ("connect4", 1, 4)])
def test_random_starts_that_are_equal_under_symmetry_come_once(spec: str, plies: int, count: int) -> None:
    """The counts are known: of nine fields three are different, of 72 pairs twelve; of seven columns four."""
    game = make(spec)
    found = random_plies(game, plies, 1000, seed=1)
    assert len(found) == count
    assert len({symmetry_key(start.position(game)) for start in found}) == count
    assert random_plies(game, plies, 2, seed=1) == found[:2]
    assert random_plies(game, plies, 1000, seed=2) != found


def test_corners_of_dots_and_boxes_are_equal() -> None:
    """One edge of two boxes: the one between them, or one of the others, since each of these is at a corner."""
    game = make("dots:rows=1,columns=2")
    assert len(random_plies(game, 1, 100, seed=1)) == 2


def test_starts_of_a_file_and_an_evaluator(tmp_path: Path) -> None:
    game, file = make("tictactoe"), tmp_path / "starts.txt"
    file.write_text(
        '# three starts\n\nb2\na1 c3\n{"game": "tictactoe", "events": [{"action": 4}, {"action": 0}]}\nb2\n'
    )
    found = starts_of(game, str(file), 1)
    assert found == [Start((4,)), Start((0, 8)), Start((4, 0))]
    assert starts_of(game, "start", 1) == [Start()]
    assert len(starts_of(game, "evaluator:perfect", 1)) == 10
    nim = starts_of(make("nim"), "evaluator:nim-perfect", 1)
    assert len(nim) == 10 and any(start.state for start in nim)
    assert all(not start.position(make("nim")).is_over for start in nim)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("random:x", "random starts are written random:PLIES or random:PLIES:COUNT, not random:x"),
        ("random:9", "every game of tictactoe is over after 9 random plies; take fewer"),
        (
            "nowhere.txt",
            "starts are start, random:PLIES, random:PLIES:COUNT, evaluator:NAME or a file, not nowhere.txt",
        ),
        ("evaluator:edax", "the evaluator edax is for Othello"),
    ],
)
def test_mistakes_in_starts(text: str, sentence: str) -> None:
    with pytest.raises(BoardlabError, match=re.escape(sentence)):
        starts_of(make("tictactoe"), text, 1)


def test_a_mistake_in_a_file_of_starts(tmp_path: Path) -> None:
    file = tmp_path / "starts.txt"
    for text, sentence in (
        ("b2\nz9\n", "line 2 of"),
        ("\n", "there are no starts in"),
        ("a1 b1 a2 b2 a3\n", "is over"),
    ):
        file.write_text(text)
        with pytest.raises(BoardlabError, match=sentence):
            starts_of(make("tictactoe"), str(file), 1)


# ------------------------------------------------------------ wishes


def test_a_file_says_everything(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(
        'game = "tictactoe"\nformat = "swiss"\nrounds = 2\ngames = 4\nagents = ["random"]\n'
        '[[agent]]\nagent = "mcts:iterations=5"\nname = "quick"\n[[agent]]\nagent = "perfect"\n'
    )
    wish = read_wish(read_tournament_file(file))
    assert wish == TournamentWish(
        game="tictactoe",
        format="swiss",
        rounds=2,
        games=4,
        agents=["random", "mcts:iterations=5", "perfect"],
        names={"mcts:iterations=5": "quick"},
    )
    made = make_format(wish, make("tictactoe"))
    assert isinstance(made, Swiss) and made.rounds == 2
    assert [entrant.name for entrant in made.entrants] == ["random", "quick", "perfect"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("game =", "is not TOML"),
        ('game = "nim"\n[[agent]]\nname = "x"\n', r"an agent in .* is a table \[\[agent\]\]"),
        ('game = "nim"\ngamse = 3\n', "gamse"),
        ('game = "nim"\nformat = "cup"\n', "format"),
        ("games = 3\n", "game of a tournament must be given"),
    ],
)
def test_mistakes_in_a_file(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "t.toml"
    file.write_text(text)
    with pytest.raises(BoardlabError, match=sentence):
        read_wish(read_tournament_file(file))


def test_every_format_can_be_wished_for() -> None:
    wanted: dict[str, type[Any]] = {
        **{"round-robin": RoundRobin, "gauntlet": Gauntlet},
        **{"swiss": Swiss, "knockout": Knockout},
    }
    for name, cls in wanted.items():
        wish = read_wish({"game": "tictactoe", "agents": ["random", "perfect"], "format": name})
        assert type(make_format(wish, make("tictactoe"))) is cls
