"""Boardlab's games in Gymnasium: its own checks, and what a learner relies on."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adapter_games import ALL, FEW, own_games

from boardlab import BoardlabError, IllegalAction, Position, make, make_agent, make_rng

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from boardlab.adapters.gymnasium import BoardEnv  # noqa: E402
from boardlab.adapters.pixels import pixels_of  # noqa: E402
from boardlab.adapters.views import make_view  # noqa: E402


def checked(spec: str, **options: Any) -> None:
    """Gymnasium's check of all that it can find, with every warning an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("boardlab/game-v0", game=spec, **options).unwrapped)


@pytest.mark.parametrize("spec", FEW)
def test_gymnasium_has_nothing_to_say(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked(spec)


@pytest.mark.slow
@pytest.mark.parametrize("observation", ["cells", "planes", "features"])
@pytest.mark.parametrize("illegal", ["lose", "random"])
def test_gymnasium_has_nothing_to_say_of_any_game(
    observation: str, illegal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for spec in [*ALL, *own_games(tmp_path)]:
        checked(spec, observation=observation, illegal=illegal)


def test_a_game_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked(own_games(tmp_path)[0])


@pytest.mark.parametrize("opponent", ["mcts:iterations=20", ["random", "mc:rollouts=5"]])
def test_any_agent_may_be_the_opponent(opponent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    checked("tictactoe", opponent=opponent, seat=1, epsilon=0.2)


# ------------------------------------------------------------ what a step is


class Scripted:
    """An opponent that plays given actions, and remembers what it was shown."""

    def __init__(self, *actions: int) -> None:
        self.actions = list(actions)
        self.seen: list[tuple[Any, Any]] = []

    def __call__(self, observation: Any, mask: Any) -> int:
        self.seen.append((observation, mask))
        return self.actions.pop(0)


def test_a_step_goes_on_to_the_learners_next_turn() -> None:
    opponent = Scripted(4, 8)
    env = BoardEnv("tictactoe", opponent=opponent, seat=0, observation="cells")
    observation, info = env.reset(seed=1)
    assert observation.tolist() == [1] * 9 and info["action_mask"].tolist() == [1] * 9 and info["seat"] == 0
    observation, reward, over, cut, info = env.step(0)
    assert observation.tolist() == [2, 1, 1, 1, 0, 1, 1, 1, 1]  # own stones are 2, the opponent's 0
    assert (reward, over, cut) == (0.0, False, False)
    assert info["action_mask"].tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 1]
    seen, mask = opponent.seen[0]
    assert seen.tolist() == [0] + [1] * 8  # the opponent sees himself as 2, too
    assert mask.tolist() == [0] + [1] * 8


def test_rewards_are_the_learners_own_when_an_opponent_ends_the_game() -> None:
    env = BoardEnv("tictactoe", opponent=Scripted(3, 4, 5), seat=0)
    env.reset(seed=1)
    assert env.step(0)[1:3] == (0.0, False)
    assert env.step(8)[1:3] == (0.0, False)
    _, reward, over, _, info = env.step(7)
    assert (reward, over) == (-1.0, True)
    assert info["scores"].tolist() == [-1.0, 1.0] and not info["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(BoardlabError, match=r"reset\(\) begins one"):
        env.step(1)


def test_rewards_add_up_to_the_score() -> None:
    for spec in ("2048", "dots:rows=2,columns=2", "nim:players=3", "sim:players=3"):
        env = BoardEnv(spec)
        for seed in range(5):
            _, info = env.reset(seed=seed)
            total, over = 0.0, False
            while not over:
                _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
                total += reward
            assert total == pytest.approx(info["scores"][info["seat"]])
            assert info["scores"].tolist() == env.position.scores


def test_the_seat() -> None:
    env = BoardEnv("nim:players=3", seat="random")
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(60)]
    assert set(seats) == {0, 1, 2}
    assert seats == [env.reset(seed=seed)[1]["seat"] for seed in range(60)]
    assert env.reset(options={"seat": 2})[1]["seat"] == 2
    assert {BoardEnv("tictactoe", seat=1).reset(seed=s)[1]["seat"] for s in range(9)} == {1}
    second = BoardEnv("tictactoe", seat=1, observation="cells").reset(seed=1)[0]
    assert sorted(second.tolist()) == [0] + [1] * 8


def test_random_numbers_go_on_without_a_seed() -> None:
    env = BoardEnv("2048", observation="cells")
    first = [env.reset(seed=1)[0].tolist(), env.reset()[0].tolist(), env.reset()[0].tolist()]
    assert first == [env.reset(seed=1)[0].tolist(), env.reset()[0].tolist(), env.reset()[0].tolist()]
    assert first[0] != first[1] != first[2]


def test_a_learner_without_a_turn_is_told() -> None:
    env = BoardEnv("nim:heaps=1,stones=1", seat=1)
    with pytest.raises(BoardlabError, match="over before the learner's first turn"):
        env.reset(seed=1)
    free = BoardEnv("nim:heaps=1,stones=1")  # drawn again until the seat has a turn
    assert {free.reset(seed=s)[1]["seat"] for s in range(20)} == {0}


# ------------------------------------------------------------ illegal actions


def test_an_illegal_action_loses_by_default() -> None:
    env = BoardEnv("dots:rows=1,columns=1", opponent="random", seat=0)
    env.reset(seed=3)
    _, _, _, _, info = env.step(0)
    observation, reward, over, _, info = env.step(0)
    assert over and info["scores"][0] == reward == -1.0
    assert not info["action_mask"].any() and observation in env.observation_space


def test_the_worst_score_is_counted_from_the_start() -> None:
    """What was scored before is taken back: the return is the lowest score that there is."""
    env = BoardEnv("2048")
    _, info = env.reset(seed=1)
    total = 0.0
    while total == 0.0:
        _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        total += reward
    _, reward, over, _, info = env.step(17)
    assert over and total + reward == 0.0 and info["scores"].tolist() == [0.0]


def test_an_illegal_action_raises_or_is_replaced() -> None:
    env = BoardEnv("tictactoe", illegal="raise", seat=0, opponent=Scripted(4))
    env.reset(seed=1)
    env.step(0)
    with pytest.raises(IllegalAction, match="action 4 is not legal here; legal: b1, c1"):
        env.step(4)
    with pytest.raises(BoardlabError, match="whole number"):
        env.step("a1")
    replaced = BoardEnv("connect4:columns=4,rows=4", illegal="random", seat=0)
    replaced.reset(seed=2)
    over = False
    while not over:
        over = replaced.step(99)[2]
    assert replaced.position.is_over and len(replaced.position.history) >= 7


# ------------------------------------------------------------ opponents


def test_the_pool_can_be_replaced_while_training() -> None:
    first, second = Scripted(*[4] * 99), Scripted(*[8] * 99)
    env = BoardEnv("tictactoe", seat=0, opponent=first)
    env.reset(seed=1)
    env.set_opponents([second])
    env.step(0)
    assert env.position.history[-1].number == 4  # the game under way goes on with the old one
    env.reset()
    env.step(0)
    assert env.position.history[-1].number == 8


def test_a_pool_is_drawn_from_for_every_game() -> None:
    pool = [Scripted(*[1] * 999), Scripted(*[2] * 999), make_agent("random", make("tictactoe"))]
    env = BoardEnv("tictactoe", seat=0, opponent=pool)
    moves = []
    for seed in range(40):
        env.reset(seed=seed)
        env.step(0)
        moves.append(env.position.history[-1].number)
    assert {1, 2} < set(moves)
    assert all(len(scripted.seen) > 5 for scripted in pool[:2])


def test_mistakes_are_sentences() -> None:
    for wrong, sentence in [
        ({"opponent": "nobody"}, "there is no agent 'nobody'"),
        ({"opponent": 7}, "an opponent is an agent"),
        ({"opponent": []}, "a pool of opponents has one at least"),
        ({"opponent": make_agent("random", make("nim"))}, "it cannot play tictactoe"),
        ({"seat": 2}, "the seat is random or a number from 0 to 1, not 2"),
        ({"seat": True}, "the seat is random or a number"),
        ({"observation": "pixels"}, "there is no observation 'pixels'"),
        ({"observation": "features:none"}, "there is no feature mode of Tic-tac-toe 'none'"),
        ({"illegal": "ignore"}, "there is no rule for illegal actions 'ignore'"),
        ({"render_mode": "3d"}, "there is no render mode '3d'"),
        ({"epsilon": 2.0}, "epsilon, the share of random moves, is from 0 to 1"),
        ({"columns": 3}, "there is no parameter of TicTacToe 'columns'"),
    ]:
        with pytest.raises(BoardlabError) as caught:
            BoardEnv("tictactoe", **wrong)
        assert sentence in str(caught.value)
    with pytest.raises(BoardlabError, match="is made already; leave size out"):
        BoardEnv(make("hex"), size=3)


# ------------------------------------------------------------ what is seen


def test_planes_lie_as_the_board_is_drawn() -> None:
    position = make("connect4").start().play("1").play("1").play("7")
    planes = make_view(position.game, "planes").of(position.game, position.state, 0)
    assert planes.shape == (4, 6, 7) and planes.dtype == np.int8
    assert (planes.sum(axis=0) == 1).all()
    assert np.argwhere(planes[1]).tolist() == [[5, 0], [5, 6]]  # the lowest row is the last one
    assert np.argwhere(planes[2]).tolist() == [[4, 0]]
    second = make_view(position.game, "planes").of(position.game, position.state, 1)
    assert (second[1] == planes[2]).all() and (second[2] == planes[1]).all()
    last = make_view(position.game, "planes", planes_last=True).of(position.game, position.state, 0)
    assert last.shape == (6, 7, 4) and (np.moveaxis(last, 2, 0) == planes).all()


@pytest.mark.parametrize("spec", [*FEW, "othello", "sim:players=3"])
def test_a_view_writes_what_it_shows(spec: str) -> None:
    game, rng = make(spec), make_rng(1)
    views = [make_view(game, name, planes_last=last) for name in ("cells", "planes", "features") for last in (0, 1)]
    views.append(make_view(game, "features:cells"))
    random_agent, position = make_agent("random", game), game.start().roll(rng)
    while not position.is_over:
        for view in views:
            for player in range(game.num_players):
                row = np.full(view.size, 99, view.dtype)
                view.write(game, position.state, player, row)
                shown = view.of(game, position.state, player)
                assert shown.shape == view.shape and (shown.ravel() == row).all()
                assert shown.min() >= view.bounds[0] and shown.max() <= view.bounds[1]
        if len(position.history) > 30:
            break
        position.play(random_agent.choose(position, rng)).roll(rng)


def test_features_tell_the_seat() -> None:
    game = make("nim:players=3")
    position = game.start()
    for seat in range(3):
        seen = make_view(game).of(game, position.state, seat)
        features = make_view(game, "features").of(game, position.state, seat)
        assert features[-3:].tolist() == [float(seat == p) for p in range(3)]
        assert features.dtype == np.float32 and seen.dtype == np.int8


# ------------------------------------------------------------ rendering


def test_the_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    frames = {}
    for mode in ("ansi", "svg", "rgb_array"):
        env = BoardEnv("tictactoe", render_mode=mode, seat=0)
        env.reset(seed=1)
        frames[mode] = env.render()
    assert frames["ansi"].endswith("X to move")
    assert frames["svg"].startswith("<svg")
    assert frames["rgb_array"].shape == (246, 246, 3) and frames["rgb_array"].dtype == np.uint8
    assert capsys.readouterr().out == ""
    env = BoardEnv("tictactoe", render_mode="human", seat=0)
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out.count("X to move") == 1


def test_pixels_have_the_colours_of_the_picture() -> None:
    position = Position(make("connect4")).play("1").play("2")
    pixels = pixels_of(position.svg())
    assert pixels.shape == (362, 400, 3)
    middle = {column: pixels[4 + 5 * 56 + 28 + 12, 4 + column * 56 + 28].tolist() for column in range(3)}
    assert middle == {0: [0x1F, 0x6F, 0xB4], 1: [0xD1, 0x49, 0x3F], 2: [255, 255, 255]}
    assert pixels[1, 200].tolist() == [0xE9, 0xE4, 0xD8]


def test_pixels_know_every_shape_and_leave_out_the_rest() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
        '<rect x="0" y="0" width="40" height="40" fill="var(--a, var(--b, #00ff00))"/>'
        '<line x1="0" y1="5" x2="40" y2="5" stroke="#ff0000" stroke-width="4"/>'
        '<line x1="0" y1="35" x2="40" y2="35"/>'
        '<polygon points="10,10 20,10 20,20 10,20" fill="none" stroke="#0000ff" stroke-width="2"/>'
        '<circle cx="30" cy="15" r="4" fill="transparent"/><path d="M0 0L40 40"/>'
        '<rect x="20" y="20" width="10" height="10" fill="#ffffff" opacity="0.5"/>'
        '<text x="8" y="30" font-size="14" text-anchor="middle" dominant-baseline="central">W</text><text/></svg>'
    )
    pixels = pixels_of(svg)
    at = {
        name: pixels[y, x].tolist() for name, (x, y) in {"ground": (2, 38), "line": (20, 5), "inside": (15, 15)}.items()
    }
    assert at == {"ground": [0, 255, 0], "line": [255, 0, 0], "inside": [0, 255, 0]}
    assert pixels[10, 15].tolist() == [0, 0, 255] and pixels[15, 30].tolist() == [0, 255, 0]
    assert pixels[25, 25].tolist() == [128, 255, 128]
    assert (pixels[24:36, 2:14].sum(axis=2) < 100).any()  # something was written


# ------------------------------------------------------------ names, and what is imported


def test_every_game_has_a_name_there() -> None:
    known = {name for name in gymnasium.registry if name.startswith("boardlab/")}
    assert {"boardlab/game-v0", "boardlab/connect4-v0", "boardlab/2048-v0"} <= known and len(known) >= 10
    env = gymnasium.make("boardlab/connect4-v0", columns=6, opponent="random", seat="random")
    assert env.unwrapped.game.spec == "connect4:columns=6"
    env.reset(seed=1)
    assert env.get_wrapper_attr("action_masks")().tolist() == [1] * 6


def test_a_missing_extra_says_what_to_install() -> None:
    code = (
        "import sys\nfor name in ('gymnasium', 'pettingzoo', 'pyspiel'): sys.modules[name] = None\n"
        "from boardlab import BoardlabError\nimport importlib\n"
        "for name in ('gymnasium', 'vector', 'pettingzoo', 'open_spiel'):\n"
        "    try: importlib.import_module(f'boardlab.adapters.{name}')\n"
        "    except BoardlabError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stdout
    for line, extra in zip(lines, ("gymnasium", "gymnasium", "pettingzoo", "open_spiel"), strict=True):
        assert line.endswith(f"which is not installed: pip install 'boardlab[{extra}]'")


def test_nothing_is_imported_unless_used() -> None:
    code = (
        "import sys, boardlab\n"
        "from boardlab.agents.registry import agent_classes\nfrom boardlab.cli.main import app\n"
        "boardlab.make('connect4'); agent_classes()\n"
        "print([n for n in ('gymnasium', 'pettingzoo', 'pyspiel', 'torch') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
