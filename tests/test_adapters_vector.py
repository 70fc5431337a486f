"""The compiled `VectorEnv`: to the bit what Gymnasium makes of as many single environments, which are plain Python."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adapter_games import ALL, FEW, own_games
from training_files import small_agent

from boardlab import Agent, BoardlabError, IllegalAction, Position, Rng, make, make_agent
from boardlab.rng import random_below
from boardlab.search.action_values import ActionValues

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from boardlab.adapters.gymnasium import BoardEnv  # noqa: E402
from boardlab.adapters.vector import BoardVectorEnv  # noqa: E402

MODES = list(AutoresetMode)


def both(n: int, spec: str, mode: AutoresetMode, **options: Any) -> tuple[BoardVectorEnv, SyncVectorEnv]:
    compiled = BoardVectorEnv(n, spec, autoreset_mode=mode, **options)
    plain = SyncVectorEnv([lambda: BoardEnv(spec, **options)] * n, autoreset_mode=mode)
    assert compiled.observation_space == plain.observation_space and compiled.action_space == plain.action_space
    assert compiled.metadata == plain.metadata
    return compiled, plain


def same(ours: Any, theirs: Any) -> None:
    """All that two calls returned is the same to the bit, infos included."""
    assert len(ours) == len(theirs)
    for mine, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert mine.dtype == other.dtype and (mine == other).all()
    infos, others = ours[-1], theirs[-1]
    assert set(infos) == set(others)
    for key in infos:
        if key == "final_obs":
            for mine, other in zip(infos[key], others[key], strict=True):
                assert (mine is None) == (other is None) and (mine is None or (mine == other).all())
        else:
            assert data_equivalence(infos[key], others[key], exact=True), key


def in_lockstep(spec: str, mode: AutoresetMode, steps: int, wild: float = 0.1, n: int = 6, **options: Any) -> int:
    """Step both with the same actions, some of them illegal; how many games were finished."""
    compiled, plain = both(n, spec, mode, **options)
    found = compiled.reset(seed=5), plain.reset(seed=5)
    same(*found)
    draw = np.random.default_rng(1)
    finished, mask = 0, found[0][1]["action_mask"]
    for _ in range(steps):
        actions = np.array([draw.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])
        actions = np.where(draw.random(n) < wild, draw.integers(compiled.game.num_actions, size=n), actions)
        ours, theirs = compiled.step(actions), plain.step(actions)
        same(ours, theirs)
        finished += int(ours[2].sum())
        mask = ours[4]["action_mask"]
        over = ours[2]
        if mode is AutoresetMode.DISABLED:
            for which in (
                over & (np.arange(n) % 2 == 0),
                over & (np.arange(n) % 2 == 1),
            ):  # some first, then the others
                if which.any():
                    found = [envs.reset(options={"reset_mask": which.copy()}) for envs in (compiled, plain)]
                    same(*found)
                    mask = np.where(which[:, None], found[0][1]["action_mask"], mask)
    return finished


@pytest.mark.parametrize("spec", FEW)
def test_it_is_what_gymnasium_makes_of_single_environments(spec: str) -> None:
    assert in_lockstep(spec, AutoresetMode.NEXT_STEP, 40) > 0


@pytest.mark.parametrize("mode", MODES[1:])
def test_it_resets_as_gymnasium_defines_it(mode: AutoresetMode) -> None:
    assert in_lockstep("nim:players=3", mode, 40) > 10


@pytest.mark.parametrize("observation", ["cells", "features"])
def test_other_observations_and_seats(observation: str) -> None:
    assert in_lockstep("tictactoe", AutoresetMode.SAME_STEP, 30, observation=observation, seat=1) > 10


def test_illegal_actions_are_replaced_alike() -> None:
    assert in_lockstep("dots:rows=2,columns=2", AutoresetMode.NEXT_STEP, 40, wild=0.7, illegal="random") > 5


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_all_games_in_lockstep(mode: AutoresetMode, tmp_path: Path) -> None:
    for spec in [*ALL, *own_games(tmp_path)]:
        for illegal in ("lose", "random"):
            assert in_lockstep(spec, mode, 150, wild=0.03, illegal=illegal) > 0 or spec == "2048"


class Rather(ActionValues):
    """Likes actions with high numbers, of each pair the same."""

    def rate(self, game: Any, s: Any, actions: Any, ratings: Any) -> int:
        n = game.legal_actions(s, actions)
        for i in range(n):
            ratings[i] = actions[i] // 2
        return int(n)


class RatherAgent(Agent):
    def choose(self, position: Position, rng: Rng) -> int:
        best = max(action // 2 for action in position.legal_actions)
        ties = [action for action in position.legal_actions if action // 2 == best]
        return ties[random_below(rng, len(ties))]

    def action_values(self) -> ActionValues:
        return Rather(self.game)


def test_an_agent_with_compiled_values_is_the_opponent() -> None:
    agent = RatherAgent(make("nim:players=3"))
    for epsilon in (0.0, 0.4):
        assert in_lockstep("nim:players=3", AutoresetMode.NEXT_STEP, 40, 0.0, opponent=agent, epsilon=epsilon) > 10


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["perfect", "mcts:iterations=15,reuse_tree=false", "mc:rollouts=3"])
def test_any_compiled_player_is_the_opponent(opponent: str) -> None:
    assert in_lockstep("tictactoe", AutoresetMode.NEXT_STEP, 30, 0.0, opponent=opponent, epsilon=0.2) > 10


@pytest.mark.slow
def test_an_n_tuple_agent_is_the_opponent() -> None:
    """Compiled boards ask its values, single ones the agent itself: the same games. And it is no weak one."""
    agent = small_agent()
    agent.train(1000)
    for epsilon in (0.0, 0.3):
        finished = in_lockstep("tictactoe", AutoresetMode.NEXT_STEP, 40, 0.0, opponent=agent, epsilon=epsilon)
        assert finished > 10
    totals = []
    for opponent in ("random", agent):
        envs = BoardVectorEnv(64, "tictactoe", opponent=opponent, seat=0, illegal="random")
        envs.reset(seed=1)
        totals.append(float(np.sum([envs.step(np.full(64, 99))[1] for _ in range(60)])))
    assert totals[0] > 100 and totals[1] < 0


# ------------------------------------------------------------ self-play


@pytest.mark.parametrize("spec", ["nim:players=3", "dots:rows=2,columns=2"])
def test_self_play_goes_through_all_seats(spec: str) -> None:
    """Compared with a plain position; chance does not matter in these games."""
    game, n = make(spec), 5
    envs = BoardVectorEnv(n, spec, opponent=None, observation="cells")
    observations, infos = envs.reset(seed=1)
    positions = [game.start() for _ in range(n)]
    draw, fresh = np.random.default_rng(2), [False] * n
    for _ in range(80):
        for i, position in enumerate(positions):
            if not fresh[i]:
                assert infos["seat"][i] == position.player
                assert sorted(position.legal_actions) == np.flatnonzero(infos["action_mask"][i]).tolist()
        actions = np.array([draw.choice(np.flatnonzero(row)) if row.any() else 0 for row in infos["action_mask"]])
        observations, rewards, over, _, infos = envs.step(actions)
        for i in range(n):
            if fresh[i]:
                positions[i], fresh[i] = game.start(), False
                assert rewards[i] == 0 and not over[i]
                continue
            position, mover = positions[i], positions[i].player
            before = np.array(position.scores)
            position.play(int(actions[i]))
            change = np.array(position.scores) - before
            assert infos["rewards"][i].tolist() == change.tolist() and rewards[i] == change[mover]
            assert over[i] == position.is_over
            seen = np.zeros(game.num_cells, np.int8)
            game.cells_of(position.state, mover if over[i] else position.player, seen)
            assert observations[i].tolist() == seen.tolist()
            fresh[i] = bool(over[i])


# ------------------------------------------------------------ the rest of the interface


def test_gymnasium_makes_it_and_finds_the_spaces_kept() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec("boardlab/connect4-v0", num_envs=8, columns=5, rows=4, render_mode="ansi")
        assert isinstance(envs.unwrapped, BoardVectorEnv) and envs.spec.id == "boardlab/connect4-v0"
        wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        observations, _ = wrapped.reset(seed=1)
        wrapped.action_space.seed(1)
        lengths = 0
        for _ in range(30):
            assert observations in wrapped.observation_space
            kept = observations.copy()
            result = wrapped.step(wrapped.action_space.sample())
            assert (observations == kept).all()  # what was returned is never written again
            observations = result[0]
            lengths += int(result[4].get("episode", {"l": np.zeros(1)})["l"].sum())
        frames = wrapped.render()
        wrapped.close()
    assert lengths > 30 and len(frames) == 8 and "to move" in frames[0]


def test_seeds() -> None:
    envs = BoardVectorEnv(4, "2048")
    first, _ = envs.reset(seed=7)
    second, _ = envs.reset()
    assert (envs.reset(seed=7)[0] == first).all() and (envs.reset()[0] == second).all()
    assert (first != second).any()
    assert (envs.reset(seed=np.int64(7))[0] == first).all()  # type: ignore[arg-type]
    shifted, _ = envs.reset(seed=[8, 9, 10, None])
    assert (shifted[:3] == first[1:]).all()
    assert (BoardVectorEnv(4, "2048").reset(seed=8)[0][:3] == first[1:]).all()


def test_the_masks() -> None:
    envs = BoardVectorEnv(3, "tictactoe", seat=0)
    _, infos = envs.reset(seed=1)
    assert (envs.action_masks() == infos["action_mask"]).all() and infos["action_mask"].shape == (3, 9)
    infos["action_mask"][:] = 0
    assert envs.action_masks().all()


def test_mistakes_are_sentences() -> None:
    for wrong, sentence in [
        ({"opponent": "mcts:time=1"}, "mcts:time=1.0 cannot play on compiled boards"),
        ({"opponent": "mcts:iterations=9"}, "mcts:iterations=9 keeps its tree from move to move"),
        ({"opponent": len}, "the opponent of compiled boards is an agent that compiles, as random, or None"),
        ({"opponent": make_agent("random", make("nim"))}, "it cannot play tictactoe"),
        ({"epsilon": -1.0}, "epsilon, the share of random moves, is from 0 to 1"),
        ({"num_envs": 0}, "the number of boards is a whole number from 1"),
        ({"render_mode": "3d"}, "there is no render mode"),
    ]:
        with pytest.raises(BoardlabError) as caught:
            BoardVectorEnv(**{"num_envs": 2, "game": "tictactoe", **wrong})
        assert sentence in str(caught.value)
    envs = BoardVectorEnv(2, "tictactoe", seat=0, illegal="raise", autoreset_mode="Disabled")
    with pytest.raises(BoardlabError, match=r"reset\(\) begins them"):
        envs.step(np.array([0, 1]))
    envs.reset(seed=1)
    for actions in ([0], [[0, 1]], [0.5, 1.0], ["a", "b"]):
        with pytest.raises(BoardlabError, match="a step takes 2 whole numbers"):
            envs.step(actions)
    for actions in ([0, 9], [0, -1]):
        with pytest.raises(IllegalAction, match="is not legal on board 1"):
            envs.step(actions)
    with pytest.raises(BoardlabError, match="one for each of the 2 boards"):
        envs.reset(seed=[1])
    for mask in ([True, False], np.zeros(2, np.bool_), np.ones(2)):
        with pytest.raises(BoardlabError, match="reset_mask is an array of 2 booleans"):
            envs.reset(options={"reset_mask": mask})
    over = np.zeros(2, np.bool_)
    while not over.any():
        over = envs.step([int(np.flatnonzero(row)[0]) for row in envs.action_masks()])[2]
    with pytest.raises(BoardlabError, match="some games are over"):
        envs.step([0, 0])
    never = BoardVectorEnv(1, "nim:heaps=1,stones=1", seat=1)
    with pytest.raises(BoardlabError, match="over before the learner's first turn"):
        never.reset(seed=1)


def test_the_random_opponent_plays_every_action_alike() -> None:
    """The second stone of Tic-tac-toe, 8 cells, within what 4,000 draws can tell."""
    envs = BoardVectorEnv(4000, "tictactoe", seat=0, observation="cells")
    envs.reset(seed=3)
    observations = envs.step(np.full(4000, 4))[0]
    counts = (observations == 0).sum(axis=0)
    assert counts[4] == 0 and counts.sum() == 4000
    assert (abs(np.delete(counts, 4) - 500) < 100).all()
