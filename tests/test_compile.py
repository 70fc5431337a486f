"""Compiled code follows the source: never stale, found again by a second process, shared where it may be."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.compiler import Flags

import boardlab.compiler.code_hash
from boardlab import Game, make, make_rng
from boardlab.compiler import Compilable, by_address, clear_record, helper, hot_kernel, inlined, kernel, plain
from boardlab.compiler.code_hash import _imports, _reached, code_hash, source_digest
from boardlab.compiler.helpers import _QuickFlags
from boardlab.compiler.steps import compiling_steps
from boardlab.playouts import _random_games, random_games

GAME = """
import numpy as np
import beside
from beside import LENGTH
from boardlab import Game, parameter
from boardlab.compiler import helper

@helper
def doubled(x):
    return 2 * x

class Fixed(Game):
    "A game of LENGTH moves with a fixed score."
    bonus: float = parameter(0.0, 0.0, 9.0)
    weight: int = parameter(1, 1, 9)
    num_players = num_actions = 1
    state = np.dtype([("moves", np.int8), ("player", np.int8)])
    score_range = (0.0, 1000.0)

    def reset(self, s):
        s.moves = 0

    def legal_actions(self, s, actions):
        actions[0] = 0
        return 1

    def advance(self, s, action):
        s.moves = int(s.moves) + 1

    def is_over(self, s):
        return int(s.moves) >= LENGTH

    def scores(self, s, out):
        out[0] = beside.tripled(doubled(5 * self.weight)) + self.bonus
"""
BESIDE = """
from boardlab.compiler import helper

LENGTH = 7

@helper
def tripled(x):
    return 3 * x
"""
RUN = """
from boardlab import make, make_rng
from boardlab.playouts import _random_games, random_games
moves, totals = random_games(make("fixed.py:Fixed"), 1, make_rng(1))
hits, misses = sum(_random_games.stats.cache_hits.values()), sum(_random_games.stats.cache_misses.values())
print(moves, int(totals[0]), hits, misses)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fixed.py").write_text(GAME)
    (tmp_path / "beside.py").write_text(BESIDE)
    return tmp_path


def run(folder: Path) -> list[int]:
    """Moves and score of a game in a fresh process, then cache hits and misses."""
    environment = {**os.environ, "BOARDLAB_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [int(x) for x in done.stdout.split()]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_a_second_process_finds_the_code_and_an_edit_is_never_stale(folder: Path) -> None:
    assert run(folder) == [7, 30, 0, 1]
    assert run(folder) == [7, 30, 1, 0]
    edit(folder / "fixed.py", "doubled(5 * self.weight)", "doubled(6 * self.weight)")
    assert run(folder) == [7, 36, 0, 1]


@pytest.mark.slow
def test_an_edit_of_what_the_rules_call_is_never_stale(folder: Path) -> None:
    assert run(folder) == [7, 30, 0, 1]
    edit(folder / "fixed.py", "return 2 * x", "return 4 * x")
    assert run(folder) == [7, 60, 0, 1]
    edit(folder / "beside.py", "return 3 * x", "return 5 * x")
    assert run(folder) == [7, 100, 0, 1]
    edit(folder / "beside.py", "LENGTH = 7", "LENGTH = 8")
    assert run(folder) == [8, 100, 0, 1]
    assert run(folder) == [8, 100, 1, 0]


def test_an_edit_while_the_old_code_runs_does_not_poison_the_cache(folder: Path) -> None:
    """The old process compiles after the edit: that must not be taken for the code of the new source."""
    script = RUN.replace("moves, totals", "game = make('fixed.py:Fixed')\nedit()\nmoves, totals")
    script = (
        "from pathlib import Path\n"
        "def edit():\n"
        "    file = Path('beside.py')\n"
        "    file.write_text(file.read_text().replace('return 3 * x', 'return 5 * x'))\n"
    ) + script
    environment = {**os.environ, "BOARDLAB_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, check=True)
    assert done.stdout.split()[:2] == [b"7", b"30"]
    assert run(folder)[:2] == [7, 50]


def test_floats_are_read_at_run_time_integers_are_compiled_in(folder: Path) -> None:
    def result(**settings: float) -> float:
        return float(random_games(make(f"{folder / 'fixed.py'}:Fixed", **settings), 1, make_rng(1))[1][0])

    before = len(_random_games.signatures)  # type: ignore[attr-defined]
    assert result() == 30.0
    assert result(bonus=0.5) == 30.5
    assert len(_random_games.signatures) == before + 1  # type: ignore[attr-defined]
    assert result(weight=2) == 60.0
    assert len(_random_games.signatures) == before + 2  # type: ignore[attr-defined]


# ---------------------------------------------------------------- objects in compiled code


class Kit(Compilable):
    """One attribute of every kind."""

    number = 3
    pair = (4, 5)

    def __init__(self, scale: float, table: Any) -> None:
        self.scale, self.table = scale, table
        self.flag = True
        self.words = "only in Python"

    def total(self, x: int) -> float:
        return self.scaled(x) + self.table.sum() + self.number + self.pair[1] + (100 if self.flag else 0)

    def scaled(self, x: int) -> float:
        return self.scale * x


@kernel
def kit_total(kit: Any, x: int) -> float:
    return kit.total(x)  # type: ignore[no-any-return]


def test_compiled_methods_equal_plain_ones() -> None:
    for scale, table in ((0.5, np.arange(4)), (2.5, np.arange(9))):
        kit = Kit(scale, table)
        assert kit_total(kit, 6) == kit.total(6) == scale * 6 + table.sum() + 108
    assert len(kit_total.signatures) == 1  # type: ignore[attr-defined]


class Numbers(NamedTuple):
    """Numbers of every size."""

    whole: int
    large: float
    small: np.float32
    yes: bool
    no: bool


@by_address
class Drawer(NamedTuple):
    """In a box."""

    counts: np.ndarray


@by_address
class Box(NamedTuple):
    """What a named tuple may hold."""

    kit: Kit
    drawer: Drawer
    numbers: Numbers
    square: np.ndarray
    rows: np.ndarray


@inlined
def look_into(box: Any) -> float:
    numbers, counts = box.numbers, box.drawer.counts
    counts[0] += 1
    total = numbers.whole + 10 * numbers.large + 100 * numbers.small + (1000 if numbers.yes and not numbers.no else 0)
    return total + counts[0] + box.square[1, 2] + box.rows[1].left


@hot_kernel
def box_total(box: Any, x: int) -> float:
    return look_into(box) + box.kit.scaled(x)


def test_a_named_tuple_by_address_is_what_it_is_in_python() -> None:
    rows = np.zeros(2, [("left", np.int16), ("right", np.float32)]).view(np.recarray)
    rows.left[1] = -7
    kit = Kit(0.5, np.arange(4))
    for numbers in (Numbers(3, 0.25, np.float32(1.5), True, False), Numbers(-4, 2.5, np.float32(-0.5), False, True)):
        box = Box(kit, Drawer(np.array([5, 6])), numbers, np.arange(6.0).reshape(2, 3), rows)
        expected = plain(box_total)(box, 6)
        box.drawer.counts[0] = 5
        assert box_total(box._replace(rows=rows.view(np.ndarray)), 6) == expected
        assert box.drawer.counts[0] == 6
    assert len(box_total.signatures) == 1  # type: ignore[attr-defined]


# ---------------------------------------------------------------- what is compiled, and how often


def never_compiled(x: int) -> int:
    return len({f"{x}": print})


class Switches(Compilable):
    """What is compiled of its method depends on them."""

    def __init__(self, rare: bool, ways: int) -> None:
        self.rare, self.ways = rare, ways


class Holder(NamedTuple):
    switches: Switches


@kernel
def ways_of(holder: Any, x: int) -> int:
    switches = holder.switches
    y = x
    if switches.rare and x > 2:
        y = never_compiled(x)
    while switches.ways == 2 and y < 10:
        y += 3
    return -y if not switches.rare else y


def test_branches_that_are_never_taken_are_not_compiled() -> None:
    """Which ones these are, constants of objects decide, also of objects in named tuples."""
    for ways, expected in ((2, -11), (3, -5)):
        holder = Holder(Switches(False, ways))
        assert ways_of(holder, 5) == plain(ways_of)(holder, 5) == expected
    with pytest.raises(numba.TypingError, match="never_compiled"):
        ways_of(Holder(Switches(True, 2)), 1)


@helper
def shared(x: int) -> int:
    return x * 2


@inlined
def between(x: int) -> int:
    return shared(x) + 1


class Caller(Compilable):
    def call(self, x: int) -> int:
        return shared(x) + 1


@kernel
def from_everywhere(caller: Any, x: int) -> int:
    return shared(x) + between(x) + caller.call(x)  # type: ignore[no-any-return]


def test_a_helper_is_compiled_once_for_all_who_call_it() -> None:
    begun: list[int] = []
    with compiling_steps(begun.append):
        assert from_everywhere(Caller(), 4) == 26
    assert not begun or begun[-1] == 4  # none where the cache has it


def test_quick_flags_are_found_among_those_of_numba() -> None:
    usual, other = Flags(), Flags()
    usual.error_model, other.error_model = "numpy", "python"
    quick, inlined_one = _QuickFlags(usual), _QuickFlags(usual)
    inlined_one.forceinline = True
    assert quick == usual and hash(quick) == hash(usual) and quick != other and quick != _QuickFlags(other)
    assert quick == inlined_one and inlined_one != usual  # to those that are called it is the same
    assert {usual: 1}[quick] == 1


def factory(amount: int) -> Game:
    class Made(Game):
        num_players = num_actions = 1
        state = np.dtype([("player", np.int8), ("over", np.bool_)])
        score_range = (0.0, 10.0)

        def reset(self, s: Any) -> None:
            s.player = 0

        def legal_actions(self, s: Any, actions: Any) -> int:
            actions[0] = 0
            return 1

        def advance(self, s: Any, action: int) -> None:
            s.over = True

        def is_over(self, s: Any) -> bool:
            return bool(s.over)

        def scores(self, s: Any, out: Any) -> None:
            out[0] = amount

    return Made()


def test_classes_of_one_name_are_told_apart() -> None:
    """Two classes made by one function differ only in what they close over."""
    assert [random_games(factory(amount), 1, make_rng(1))[1][0] for amount in (3, 4)] == [3.0, 4.0]
    assert code_hash(type(factory(3))) == code_hash(type(factory(3))) != code_hash(type(factory(4)))


def test_a_game_is_constant() -> None:
    game = make("connect4")
    with pytest.raises(AttributeError, match="a game is constant once it is made"):
        game.columns = 8  # type: ignore[attr-defined]


@kernel
def cleared(states: Any) -> None:
    clear_record(states[1])


def test_a_record_is_cleared_in_both_ways() -> None:
    dtype = np.dtype([("board", np.int8, (2, 3)), ("player", np.int64), ("done", np.bool_), ("x", np.float64)])
    for clear in (cleared, cleared.py_func):  # type: ignore[attr-defined]
        states = np.frombuffer(bytes([255]) * 3 * dtype.itemsize, dtype).copy()
        clear(states)
        assert bytes(states[1].tobytes()) == bytes(dtype.itemsize)
        assert states[0].tobytes() == states[2].tobytes() == bytes([255]) * dtype.itemsize


def test_a_random_start_is_never_the_end() -> None:
    """One random ply from a pile of three ends the game one time in three; then it is the default start."""
    game, rng = make("nimm3", pile=3), make_rng(1)
    found = []
    for _ in range(60):
        record = np.zeros(1, game.state).view(np.recarray)
        game.random_start(record[0], rng)
        found.append((int(record[0].left), int(record[0].player)))
    assert set(found) == {(3, 0), (2, 1), (1, 1)}


def test_the_cache_of_a_kernel_rests_on_every_module_that_it_takes_something_from() -> None:
    """By what the modules hold when they are loaded, where the hash goes by the text of their imports."""
    import boardlab.check.referee
    import boardlab.learn.learner
    import boardlab.search.tree_search
    import boardlab.solvers.connect4
    import boardlab.store  # noqa: F401

    ours = {n: Path(m.__file__).resolve() for n, m in sys.modules.items() if n.startswith("boardlab.") and m.__file__}
    checked = 0
    for name, file in ours.items():
        for value in vars(sys.modules[name]).values():
            owner = getattr(getattr(value, "py_func", value), "__module__", None)
            if owner in ours and owner != name:
                assert ours[owner] in _reached(file), f"{name} takes {value} from {owner}"
                checked += 1
    assert checked > 100


def test_a_digest_changes_with_whatever_is_imported_anywhere(tmp_path: Path) -> None:
    root = Path(boardlab.__file__).parent
    file = tmp_path / "kernels.py"
    file.write_text("def f():\n    from boardlab.check import (\n        images,\n    )\n")
    assert _imports(file) == [root / "check" / "images.py"]
    before = source_digest(file)
    other = tmp_path / "more" / "kernels.py"
    other.parent.mkdir()
    other.write_text(file.read_text().replace("images", "frequencies"))
    assert source_digest(other) != before


def test_garbage_is_looked_for_more_seldom_while_something_compiles() -> None:
    """And as often as before afterwards, also where it cannot be compiled."""

    @numba.njit
    def inner(x: int) -> int:
        return x + 1

    @numba.njit
    def outer(x: int) -> int:
        return inner(x) + 1

    @numba.njit
    def wrong(x: int) -> Any:
        return inner(x).nonsense

    usual, meanwhile = gc.get_threshold(), []
    with compiling_steps(lambda begun: meanwhile.append(gc.get_threshold())):
        assert outer(1) == 3 and gc.get_threshold() == usual
        with pytest.raises(numba.TypingError):
            wrong(1)
    assert len(meanwhile) >= 3 and all(found[0] > usual[0] for found in meanwhile)
    assert gc.get_threshold() == usual
