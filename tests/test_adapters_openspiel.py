"""OpenSpiel, both ways: its own tests of our games, our agents as its bots, its games and bots here."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adapter_games import ALL, FEW, own_games
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make, make_agent, make_rng, play_match
from boardlab.cli.main import app
from boardlab.engines.openspiel import twin_of, twin_of_theirs
from boardlab.rng import random_below

pyspiel = pytest.importorskip("pyspiel")

from boardlab.adapters import open_spiel  # noqa: E402


def loaded(spec: str) -> Any:
    return pyspiel.load_game(open_spiel.spiel_name(make(spec)))


# ------------------------------------------------------------ our games there


def checked(spec: str, games: int) -> None:
    """OpenSpiel's own test of random games, with and without serialisation, and a playthrough."""
    game = loaded(spec)
    pyspiel.random_sim_test(game, num_sims=games, serialize=False, verbose=False)
    pyspiel.random_sim_test(game, num_sims=games, serialize=True, verbose=False)


def played_through(spec: str) -> str:
    from open_spiel.python.algorithms import generate_playthrough  # loads much

    name = open_spiel.spiel_name(make(spec))
    text: str = generate_playthrough.playthrough(name, action_sequence=[], seed=1)
    return text


@pytest.mark.parametrize("spec", [spec for spec in FEW if spec != "2048"])
def test_openspiels_own_tests(spec: str) -> None:
    checked(spec, 2)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ALL)
def test_openspiels_own_tests_of_every_game(spec: str) -> None:
    checked(spec, 1 if spec in ("2048", "dots:rows=5,columns=4", "hex:size=11") else 5)
    assert "IsTerminal() = True" in played_through(spec)


@pytest.mark.slow
def test_openspiels_own_tests_of_the_guides_game(tmp_path: Path) -> None:
    for spec in own_games(tmp_path):
        checked(spec, 3)
        assert "IsTerminal() = True" in played_through(spec)


def test_a_playthrough() -> None:
    text = played_through("nim:players=3,heaps=2,stones=2")
    assert 'ToString() = "boardlab(game=nim(heaps=2,players=3,stones=2))"' in text
    assert (
        "NumPlayers() = 3" in text
        and "IsTerminal() = True" in text
        and text == played_through("nim:players=3,heaps=2,stones=2")
    )


def test_what_openspiel_is_told_of_a_game() -> None:
    kind = pyspiel.GameType
    for spec, utility, model, chance in [
        ("tictactoe", kind.Utility.ZERO_SUM, kind.RewardModel.TERMINAL, kind.ChanceMode.DETERMINISTIC),
        ("dots", kind.Utility.ZERO_SUM, kind.RewardModel.REWARDS, kind.ChanceMode.DETERMINISTIC),
        ("nim:players=3", kind.Utility.GENERAL_SUM, kind.RewardModel.TERMINAL, kind.ChanceMode.DETERMINISTIC),
        ("2048", kind.Utility.GENERAL_SUM, kind.RewardModel.REWARDS, kind.ChanceMode.EXPLICIT_STOCHASTIC),
    ]:
        found = loaded(spec).get_type()
        assert (found.utility, found.reward_model, found.chance_mode) == (utility, model, chance)
    game = loaded("hex:size=4")
    assert str(game) == "boardlab(game=hex(size=4))" and game.game == make("hex:size=4")
    assert (game.num_distinct_actions(), game.max_game_length(), game.num_players()) == (16, 16, 2)
    for wrong, sentence in [("hexx()", "there is no game 'hexx'"), ("hex(size=1)", "size is a whole number from 2")]:
        with pytest.raises(BoardlabError, match=sentence):
            pyspiel.load_game(f"boardlab(game={wrong})")


def test_states_are_positions() -> None:
    game = loaded("2048")
    state, rng = game.new_initial_state(), make_rng(1)
    moved = 0
    while moved < 30:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(chance for _, chance in outcomes) == pytest.approx(1.0)
            state.apply_action(outcomes[random_below(rng, len(outcomes))][0])
            continue
        legal = state.legal_actions()
        assert legal == state.position.legal_actions and state.current_player() == 0
        before = state.returns()[0]
        other = state.clone()
        other.apply_action(legal[0])
        state.apply_action(legal[0])
        assert str(other) == str(state) and state.returns() == state.position.scores
        assert state.rewards()[0] == state.returns()[0] - before
        moved += 1
    assert state.returns()[0] > 0


def test_exploitability_on_a_game_of_ours() -> None:
    """The value of random play of Nimm-3 with five stones, by OpenSpiel's algorithm and by hand."""
    game = loaded("nimm3:pile=5")
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    found = exploitability.exploitability(game, UniformRandomPolicy(game))

    def best(pile: int, mine: bool) -> float:
        """What someone scores who plays perfectly against a random player."""
        if pile == 0:
            return -1.0 if mine else 1.0
        after = [best(pile - take, not mine) for take in range(1, min(3, pile) + 1)]
        return max(after) if mine else sum(after) / len(after)

    assert found == pytest.approx((best(5, True) + best(5, False)) / 2)


# ------------------------------------------------------------ our agents as bots


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("tic_tac_toe", "mcts:iterations=200"),
        ("nim(pile_sizes=5;5;5,is_misere=false)", "perfect"),
        pytest.param("connect_four", "mcts:iterations=200", marks=pytest.mark.slow),
        pytest.param("othello", "mcts:iterations=100", marks=pytest.mark.slow),
        pytest.param("dots_and_boxes", "mcts:iterations=200", marks=pytest.mark.slow),
    ],
)
def test_our_agents_play_openspiels_games(name: str, agent: str) -> None:
    game = pyspiel.load_game(name)
    bots = [open_spiel.bot(agent, game, seed=1), pyspiel.make_uniform_random_bot(1, 5)]
    totals = np.sum([pyspiel.evaluate_bots(game.new_initial_state(), bots, seed=s) for s in range(12)], axis=0)
    assert totals[0] >= 8


def test_our_agents_play_our_games_there() -> None:
    game = loaded("nim:players=3")
    bots = [open_spiel.bot("random", game, seed=s) for s in range(3)]
    scores = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed=1)
    assert sorted(scores) == [0.0, 0.2, 1.0]
    state = game.new_initial_state()
    policy, action = bots[0].step_with_policy(state)
    assert sum(chance for _, chance in policy) == 1.0 and dict(policy)[action] == 1.0
    agent = make_agent("random", make("nim:players=3"))
    assert open_spiel.bot(agent, game).agent is agent
    bots[0].restart_at(state)
    assert bots[0].step(state) in state.legal_actions() and not bots[0].provides_policy()


def test_what_cannot_be_a_bot() -> None:
    for name in ("chess", "hex(board_size=5,swap=True)", "nim", "connect_four(x_in_row=5)", "hex(board_size=15)"):
        with pytest.raises(BoardlabError, match="boardlab has no game like OpenSpiel's"):
            open_spiel.bot("random", pyspiel.load_game(name))
    with pytest.raises(BoardlabError, match="was made for hex, it cannot play connect4"):
        open_spiel.bot(make_agent("random", make("hex")), pyspiel.load_game("connect_four"))


# ------------------------------------------------------------ OpenSpiel's bots here


def test_openspiels_search_is_an_agent() -> None:
    result = play_match(make("connect4"), ["openspiel:mcts,simulations=300", "random"], 10, 1)
    assert result.standings[0].wins >= 9
    agent = make_agent("openspiel:mcts,simulations=50,rollouts=2", make("othello"))
    assert agent.spec == "openspiel:mcts:simulations=50,rollouts=2"
    assert make_agent(agent.spec, agent.game).spec == agent.spec
    position, rng = agent.game.start(), make_rng(1)
    while not position.is_over:  # passes included
        position.play(agent.choose(position, rng))
    assert make_agent("openspiel:bot", make("nim")).choose(make("nim").start(), rng) in range(15)


def test_the_same_seed_gives_the_same_moves() -> None:
    agent = make_agent("openspiel:mcts:simulations=20", make("hex:size=5"))
    chosen = [agent.choose(agent.game.start(), make_rng(seed)) for seed in range(8)]
    assert chosen == [agent.choose(agent.game.start(), make_rng(seed)) for seed in range(8)] and len(set(chosen)) > 1


def test_what_openspiels_bots_cannot_play() -> None:
    for agent, game, sentence in [
        ("openspiel:mcts", "sim", "OpenSpiel has no game like sim"),
        ("openspiel:mcts", "2048", "plays games that are scored at their end, not 2048"),
        ("openspiel:bot:bot=nobody", "hex", "there is no bot of OpenSpiel 'nobody'"),
        ("openspiel:alphazero", "hex", "there is no agent 'openspiel:alphazero'"),
    ]:
        with pytest.raises(BoardlabError, match=sentence):
            make_agent(agent, make(game))
    preferring = make_agent("openspiel:bot:bot=fixed_action_preference", make("hex:size=4"))
    position = preferring.game.start()
    for number in (0, 1, 2, 3, 4, 5, 6, 7):
        position.play(number)
    with pytest.raises(BoardlabError, match="fixed_action_preference failed in OpenSpiel"):
        preferring.choose(position, make_rng(1))
    game = make("connect4")
    elsewhere = Position(game, game.start().play("1").play("1").play("1").play("1").play("1").play("1").state)
    with pytest.raises(BoardlabError, match="cannot play from a position set up"):
        make_agent("openspiel:bot", game).choose(elsewhere, make_rng(1))


# ------------------------------------------------------------ OpenSpiel's games here


def test_a_game_of_openspiel_is_a_game() -> None:
    game = make("openspiel:breakthrough:rows=6,columns=5")
    assert game.spec == "openspiel:breakthrough:columns=5,rows=6" and make(game.spec) == game
    assert pickle.loads(pickle.dumps(game)) == game and copy.deepcopy(game) == game
    position = game.start()
    assert [game.action_name(a) for a in position.legal_actions][:3] == ["a5a4", "a5b4", "b5a4"]
    position.play("a5b4").play("a2a3")
    assert position.player == 0 and "b" in str(position)
    assert position.undo().player == 1
    assert position.svg().count("data-action") == len(position.legal_actions)
    with pytest.raises(BoardlabError, match="'z9z9' is no action of Breakthrough; one looks like"):
        position.play("z9z9")
    position.play(f"#{position.legal_actions[0]}")
    for spec in ("random", "mcts:iterations=20", "mc:rollouts=1", "max-n:depth=1", "openspiel:mcts:simulations=20"):
        assert make_agent(spec, game).choose(position, make_rng(1)) in position.legal_actions


def test_names_that_depend_on_the_player() -> None:
    game = make("openspiel:tic_tac_toe")
    assert game.action_name(4) == "x(1,1)"
    assert game.parse_action("o(1,1)") == game.parse_action("X(1,1)") == 4


def test_chance_and_several_players() -> None:
    game = make("openspiel:pig:players=3,winscore=20,horizon=60")
    agent, position, rng = make_agent("mcts:iterations=5", game), game.start(), make_rng(1)
    movers, rolled = set(), 0
    while not position.roll(rng).is_over:
        movers.add(position.player)
        position.play(agent.choose(position, rng))
        rolled += position.is_chance
    assert movers == {0, 1, 2} and rolled > 3 and len(position.scores) == 3
    theirs = twin_of(game).state_of(position.undo())  # type: ignore[union-attr]
    assert theirs.legal_actions() == position.legal_actions


@pytest.mark.slow
def test_every_game_of_openspiel_that_fits_can_be_played() -> None:
    kinds = [kind.short_name for kind in pyspiel.registered_games() if kind.default_loadable]
    played = 0
    for name in kinds:
        try:
            game = make(f"openspiel:{name}")
        except BoardlabError:
            continue
        position, rng = game.start(), make_rng(1)
        agent = make_agent("random", game)
        if name == "python_hangman":  # it declares one chance outcome, and has many
            with pytest.raises(BoardlabError, match="chance outcomes, but says 1 at most"):
                position.roll(rng)
            continue
        while not position.roll(rng).is_over and len(position.history) < 300:
            position.play(agent.choose(position, rng))
        assert position.svg() and str(position) and game.action_name(0)
        played += 1
    assert played >= 35


def test_plain_searches_find_what_compiled_ones_find() -> None:
    """The same game, OpenSpiel's and ours: exact values, and the very same random games."""
    ours, theirs = make("tictactoe"), make("openspiel:tic_tac_toe")
    positions = [game.start() for game in (ours, theirs)]
    for action in (0, 4, 8):
        for position in positions:
            position.play(action)
    for spec in ("mcts:iterations=300", "mc:rollouts=20", "max-n:depth=6"):  # the last one sees every end
        compiled, plain = (make_agent(spec, game).values(p) for game, p in zip((ours, theirs), positions, strict=True))
        assert compiled == plain


def test_what_does_not_compile_says_so() -> None:
    runner = CliRunner()
    for command in (
        ["check", "openspiel:hex"],
        ["perft", "openspiel:hex", "2"],
        ["bench", "rollouts", "--games", "openspiel:hex"],
    ):
        result = runner.invoke(app, command)
        assert result.exit_code == 2, result.output
        assert "openspiel:hex does not compile: it can be played" in result.stderr and "Traceback" not in result.stderr
    with pytest.raises(BoardlabError, match="has no cells, so n-tuples cannot see it"):
        make_agent("td-ntuple", make("openspiel:hex"))
    for wrong, sentence in [
        ("openspiel:kuhn_poker", "hides something from players"),
        ("openspiel:goofspiel", "lets players move at the same time"),
        ("openspiel:nothing", "there is no game of OpenSpiel 'nothing'. Known: 2048, amazons"),
        ("openspiel:breakthrough:rows=1", "OpenSpiel refuses openspiel:breakthrough with these parameters"),
        ("openspiel:breakthrough:cows=1", "did you mean 'rows'"),
        ("openspiel", "there is no game 'openspiel'"),
    ]:
        with pytest.raises(BoardlabError, match=sentence) as caught:
            make(wrong)
        assert "\n" not in str(caught.value)
    pytest.importorskip("gymnasium")
    from boardlab.adapters.gymnasium import BoardEnv
    from boardlab.adapters.vector import BoardVectorEnv

    with pytest.raises(BoardlabError, match="does not compile"):
        BoardVectorEnv(2, "openspiel:hex")
    env = BoardEnv("openspiel:breakthrough:rows=6,columns=6")
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space and info["action_mask"].sum() == len(env.position.legal_actions)
    with pytest.raises(BoardlabError, match="has no cells"):
        BoardEnv("openspiel:hex", observation="planes")


def test_the_command_line_plays_it() -> None:
    runner = CliRunner()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = runner.invoke(
            app, ["play", "openspiel:clobber:rows=3,columns=3", "-s", "mcts:iterations=9", "-s", "random"]
        )
    assert result.exit_code == 0 and "won" in result.output, result.output
    command = [
        "match",
        "openspiel:clobber:rows=3,columns=3",
        "random",
        "openspiel:mcts,simulations=50",
        "--games",
        "6",
        "--json",
    ]
    result = runner.invoke(app, [*command, "--seed", "1"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["games"] == 6
    result = runner.invoke(app, ["games", "openspiel:breakthrough"])
    assert result.exit_code == 0 and "Breakthrough" in result.output and "rows" in result.output


# ------------------------------------------------------------ ours and theirs in lockstep


def missing_in_2048(state: Any, position: Position, merged: set[int]) -> set[int]:
    """The actions that OpenSpiel does not list though they are legal: those that only merge with a tile that was made
    by the last slide (it forgets to forget which these are)."""
    board = np.array(position.cells).reshape(4, 4)
    listed = set()
    for action, (down, right) in enumerate([(0, -1), (-1, 0), (0, 1), (1, 0)]):
        for cell in range(16):
            row, column = divmod(cell, 4)
            there = row + down, column + right
            if not board[row, column] or not (0 <= there[0] < 4 and 0 <= there[1] < 4):
                continue
            free = board[there] == 0
            if free or (board[there] == board[row, column] and 4 * there[0] + there[1] not in merged):
                listed.add(action)
    return set(position.legal_actions) - listed


def merged_by(before: Position, action: int) -> set[int]:
    """The cells of the tiles that a slide makes."""
    lines = np.arange(16).reshape(4, 4)
    made = set()
    for line in {0: lines, 2: lines[:, ::-1], 1: lines.T, 3: lines.T[:, ::-1]}[action]:
        tiles = [int(before.cells[cell]) for cell in line if before.cells[cell]]
        place = 0
        while tiles:
            if len(tiles) > 1 and tiles[0] == tiles[1]:
                made.add(int(line[place]))
                tiles.pop(0)
            tiles.pop(0)
            place += 1
    return made


def in_lockstep(spec: str, games: int, seed: int = 1) -> int:
    """Play random games in both at once; how often their legal actions were not ours, which only 2048 may do."""
    game = make(spec)
    twin = twin_of(game)
    assert twin is not None
    rng, differences = make_rng(seed), 0
    for _ in range(games):
        position, state, merged = game.start(), twin.start(), set()
        while not position.is_over:
            assert not state.is_terminal() and state.is_chance_node() == position.is_chance
            if position.is_chance:
                assert dict(state.chance_outcomes()) == pytest.approx(position.chance_outcomes)
                outcome = int(game.sample_chance(position.state, rng))
                position.play_chance(outcome)
                twin.follow(state, outcome, chance=True)
                continue
            assert state.current_player() == position.player
            theirs = {twin.to_ours(action) for action in state.legal_actions()}
            missing = missing_in_2048(state, position, merged) if spec == "2048" else set()
            assert theirs == set(position.legal_actions) - missing
            differences += bool(missing)
            if not theirs:
                break  # OpenSpiel cannot go on
            action = sorted(theirs)[random_below(rng, len(theirs))]
            merged = merged_by(position, action) if spec == "2048" else set()
            position.play(action)
            twin.follow(state, action, chance=False)
        else:
            assert state.is_terminal() and state.returns() == position.scores
            assert twin.position_of(state).state.tobytes() == position.state.tobytes()
    return differences


@pytest.mark.parametrize(
    "spec", ["tictactoe", "connect4:columns=5,rows=4", "nim:heaps=2,stones=7", "dots:rows=2,columns=3"]
)
def test_some_games_in_lockstep(spec: str) -> None:
    assert in_lockstep(spec, 10) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "games"),
    [
        *(("tictactoe", 5000), ("connect4", 3000), ("connect4:columns=9,rows=4", 1000), ("othello", 1500)),
        *(("hex", 2000), ("hex:size=11", 300), ("nim", 5000), ("nim:heaps=2,stones=20", 2000)),
        *(("dots", 3000), ("dots:rows=5,columns=5", 300), ("dots:rows=1,columns=4", 2000)),
    ],
)
def test_thousands_of_games_in_lockstep(spec: str, games: int) -> None:
    assert in_lockstep(spec, games) == 0


@pytest.mark.slow
def test_2048_in_lockstep_but_for_the_known_difference() -> None:
    assert in_lockstep("2048", 1000) > 0


def test_twins_know_each_other() -> None:
    for spec in ("tictactoe", "connect4:rows=5", "hex:size=4", "othello", "nim", "dots", "2048"):
        twin = twin_of(make(spec))
        assert twin is not None
        again = twin_of_theirs(twin.theirs)
        assert again is not None and again.game == twin.game
        assert [twin.to_ours(twin.to_theirs(a)) for a in range(twin.game.num_actions)] == list(
            range(twin.game.num_actions)
        )
    assert twin_of(make("sim")) is None
