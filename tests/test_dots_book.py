"""The opening books of Dots and Boxes: how they are made, what is in the one of the package, and the command."""

from __future__ import annotations

import numpy as np
import pytest
from test_dots import best_margin
from typer.testing import CliRunner

from boardlab import make
from boardlab.cli.main import app
from boardlab.errors import BoardlabError
from boardlab.solvers import dots, dots_book_making
from boardlab.solvers.dots import DotsSolver
from boardlab.solvers.dots_book import DotsBook, book_file
from boardlab.solvers.dots_book_making import make_dots_book


def test_a_book_is_made_in_parts_and_answers_for_the_first_moves(tmp_path, monkeypatch):
    game = make("dots:rows=2,columns=2")
    value = best_margin(2, 2)
    results, path = tmp_path / "book.part", tmp_path / "book.bin"
    reports = []
    unfinished = make_dots_book(game, 3, results, megabytes=1, threads=1, minutes=0)
    assert unfinished.known == [0, 0, 0, 0]
    make_dots_book(game, 3, results, megabytes=1, threads=1)
    whole = results.read_bytes()
    results.write_bytes(whole[: len(whole) // 2 // 8 * 8 + 3])
    book = make_dots_book(game, 3, results, megabytes=1, threads=1, report=reports.append)
    assert reports[-1].done == reports[-1].todo == len(whole) // 8 - len(whole) // 2 // 8
    assert book.known == book.size
    assert book.known[0] == 1
    book.save(path)
    for module in (dots, dots_book_making):
        monkeypatch.setattr(module, "book_file", lambda game: path)
    assert make_dots_book(game, 3, tmp_path / "other.part").known == book.size
    assert not (tmp_path / "other.part").exists()
    solver = DotsSolver(game)
    for edges in range(1 << game.num_actions):
        if edges.bit_count() <= 3:
            assert solver.margin_after(edges) == value(edges)
    assert solver.nodes == 0
    assert solver.margin_after(0b1111) == value(0b1111)


def test_a_damaged_book_or_one_of_another_board_is_refused(tmp_path):
    game = make("dots:rows=2,columns=2")
    path = tmp_path / "book.bin"
    DotsBook(game, {0: 2, 1: -2}).save(path)
    again = DotsBook.load(game, path)
    assert (again.margin(0), again.margin(1), again.margin(3)) == (2, -2, None)
    with pytest.raises(BoardlabError, match=r"is for 2 x 2 boxes, not for dots"):
        DotsBook.load(make("dots"), path)
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(BoardlabError, match="damaged"):
        DotsBook.load(game, path)
    path.write_bytes(b"something else")
    with pytest.raises(BoardlabError, match="not an opening book of Dots and Boxes"):
        DotsBook.load(game, path)


# ---------------------------------------------------------------- the book of the package


@pytest.fixture(scope="module")
def package_book():
    game = make("dots:rows=4,columns=4")
    return DotsBook.load(game, book_file(game))


def closed(game, edges):
    return sum(edges & mask == mask for mask in game.box_masks[:-1].tolist())


def test_the_value_of_the_empty_board_is_the_published_one(package_book):
    assert package_book.margin(0) == 0


def test_every_margin_of_the_book_is_that_of_its_best_move(package_book):
    """A margin is at least what each move known to the book leads to, and the best of them where all are known."""
    game, positions = package_book.positions.game, package_book.positions
    whole = 0
    for key, edges in package_book.edges.items():
        moves = []
        for after in positions.after(edges):
            margin = package_book.margin(after)
            if margin is not None:
                taken = closed(game, after) - closed(game, edges)
                moves.append(taken + margin if taken else -margin)
        assert package_book.margins[key] >= max(moves, default=-99)
        if len(moves) == game.num_actions - edges.bit_count():
            assert package_book.margins[key] == max(moves)
            whole += 1
    assert whole >= 1


def test_the_solver_answers_from_the_book():
    game = make("dots:rows=4,columns=4")
    solver = DotsSolver(game)
    values = solver.values(game.start())
    assert max(values.values()) == solver.score(game.start()) == 0
    assert solver.nodes == 0


@pytest.mark.slow
def test_the_book_agrees_with_a_search(package_book):
    """Two of its positions with the most edges, searched without it: minutes."""
    game = make("dots:rows=4,columns=4")
    solver = DotsSolver(game, book=False)
    late = [edges for edges in package_book.edges.values() if edges.bit_count() == package_book.plies]
    for edges in np.random.default_rng(1).choice(late, 2).tolist():
        assert solver.margin_after(edges) == package_book.margin(edges)


@pytest.mark.slow
def test_the_empty_board_without_the_book():
    """Minutes, and 4 GB."""
    game = make("dots:rows=4,columns=4")
    assert DotsSolver(game, book=False).score(game.start()) == 0


# ---------------------------------------------------------------- the command


def test_the_command_writes_a_book_and_goes_on_with_one(tmp_path):
    out, part = tmp_path / "book.bin", tmp_path / "results"
    command = [
        "book",
        "dots:rows=2,columns=2",
        "--plies",
        "2",
        "--out",
        str(out),
        "--resume",
        str(part),
        "--megabytes",
        "1",
    ]
    unfinished = CliRunner().invoke(app, [*command, "--minutes", "0"])
    assert unfinished.exit_code == 0
    assert "the rest are gaps" in unfinished.stdout
    finished = CliRunner().invoke(app, command)
    assert finished.exit_code == 0
    assert "bytes, complete" in finished.stdout
    assert DotsBook.load(make("dots:rows=2,columns=2"), out).margin(0) == best_margin(2, 2)(0)
    part.unlink()
    worse = CliRunner().invoke(app, [*command, "--minutes", "0"])
    assert worse.exit_code == 0
    assert "knows more" in worse.stdout
    assert DotsBook.load(make("dots:rows=2,columns=2"), out).margin(0) is not None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hex"], "opening books for connect4 and for small boards of dots, not for hex"),
        (["dots:rows=5,columns=5"], "opening books for connect4 and for small boards of dots"),
        (["dots", "--plies", "9"], "a book has 1 to 5 plies, not 9"),
    ],
)
def test_books_that_cannot_be_made_are_refused_with_a_sentence(arguments, sentence):
    result = CliRunner().invoke(app, ["book", *arguments])
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())
