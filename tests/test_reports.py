"""Reports: statistics against slow and obvious references, and what is written about runs with known curves."""

from __future__ import annotations

import csv
import itertools
import json
import math
import statistics
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sweep_folders import rising, write_run
from typer.testing import CliRunner

from boardlab.cli.main import app
from boardlab.errors import BoardlabError
from boardlab.lab.reports import figures
from boardlab.lab.reports.figures import is_geometric, looks
from boardlab.lab.reports.measures import measured
from boardlab.lab.reports.report import write_report
from boardlab.lab.reports.statistics import (
    bootstrap,
    difference,
    interquartile_mean,
    mean,
    median,
    share_reached,
)
from boardlab.lab.reports.tables import difference_rows, summary_rows
from boardlab.lab.sweeps.results import results

# ---------------------------------------------------------------- statistics


def slow_interquartile_mean(values: list[float]) -> float:
    """With four copies of each value, a quarter of them is a whole number."""
    copies = sorted(values * 4)
    middle = copies[len(values) : 3 * len(values)]
    return sum(middle) / len(middle)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 21])
def test_interquartile_mean_and_median(n: int) -> None:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(6, n))
    assert interquartile_mean(rows) == pytest.approx([slow_interquartile_mean(row) for row in rows.tolist()])
    assert median(rows) == pytest.approx([statistics.median(row) for row in rows.tolist()])


def test_runs_that_never_reach_a_level_count() -> None:
    inf = math.inf
    assert float(median(np.array([1.0, 2.0, inf]))) == 2.0
    assert float(median(np.array([1.0, 2.0, inf, inf]))) == inf
    assert float(median(np.array([1.0, 2.0, 4.0, inf]))) == 3.0
    assert float(interquartile_mean(np.array([inf, 1.0, 2.0, 3.0]))) == 2.5
    found = bootstrap([10.0] * 8 + [inf] * 2, median)
    assert (found.value, found.low) == (10.0, 10.0)
    both = difference([10.0, 20.0, 30.0], [inf, inf, inf], median)
    assert (both.value, both.low, both.high) == (-inf, -inf, -inf)


def exact_quantiles(found: list[float]) -> tuple[float, float]:
    """The smallest values that at least 2.5 % and 97.5 % of all samples do not exceed."""
    ordered = sorted(found)
    return tuple(ordered[math.ceil(share * len(ordered) - 1e-9) - 1] for share in (0.025, 0.975))  # type: ignore[return-value]


STATISTICS: list[tuple[Any, Callable[[list[float]], float]]] = [
    (mean, statistics.fmean),
    (median, statistics.median),
    (interquartile_mean, slow_interquartile_mean),
]


@pytest.mark.parametrize(("statistic", "reference"), STATISTICS)
def test_the_bootstrap_is_that_of_all_samples(statistic: Any, reference: Callable[[list[float]], float]) -> None:
    values = [0.0, 1.0, 3.0, 7.0, 15.0]
    every = [reference(list(sample)) for sample in itertools.product(values, repeat=5)]
    found = bootstrap(values, statistic, resamples=200_000)
    assert found.value == pytest.approx(reference(values))
    assert (found.low, found.high) == pytest.approx(exact_quantiles(every))
    assert bootstrap(values, statistic) == bootstrap(values, statistic)


@pytest.mark.parametrize(("statistic", "reference"), STATISTICS)
def test_a_difference_is_that_of_all_pairs_of_samples(
    statistic: Any, reference: Callable[[list[float]], float]
) -> None:
    one, other = [1.0, 4.0, 9.0, 16.5], [0.0, 2.0, 5.25]
    firsts = [reference(list(sample)) for sample in itertools.product(one, repeat=4)]
    seconds = [reference(list(sample)) for sample in itertools.product(other, repeat=3)]
    every = [a - b for a in firsts for b in seconds]
    found = difference(one, other, statistic, resamples=300_000)
    assert found.value == pytest.approx(reference(one) - reference(other))
    low, high = exact_quantiles(every)
    assert found.low == pytest.approx(low, abs=0.26) and found.high == pytest.approx(high, abs=0.26)
    assert not difference(one, one, statistic).is_notable


def test_the_run_time_distribution_counts_runs() -> None:
    times, at = [30.0, 10.0, math.inf, 10.0], [0.0, 9.9, 10.0, 29.0, 30.0, 1e9]
    assert share_reached(times, at).tolist() == [sum(t <= x for t in times) / 4 for x in at]


def test_lines_can_be_told_apart_without_colours() -> None:
    found = looks([str(k) for k in range(40)])
    assert len({(str(look["linestyle"]), look["marker"]) for look in found.values()}) == 40


def test_which_numbers_belong_on_a_logarithmic_axis() -> None:
    assert is_geometric([0.001, 0.01, 0.1]) and not is_geometric([0.0, 0.1, 10.0]) and not is_geometric([1, 2, 3])


# ---------------------------------------------------------------- a folder with known curves


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three values of alpha and two of epsilon for two named variants, with four seeds; a run that failed."""
    made = tmp_path_factory.mktemp("sweep <&>")
    number = 0
    for named, alpha, epsilon in itertools.product(("A", "B <&>"), (0.01, 0.1, 1.0), (0.1, 0.2)):
        for seed in range(4):
            final = -0.1 * epsilon if named == "A" else -0.5
            settings = {"farl": named == "A", "alpha": alpha, "epsilon": epsilon}
            write_run(made, number, settings, seed, rising(final, 1000 / (1 + alpha), seed), named=named)
            number += 1
    last = made / "runs" / f"{number:016x}"
    last.mkdir()
    said = json.loads((made / "runs" / f"{0:016x}" / "settings.json").read_text())
    (last / "settings.json").write_text(json.dumps({**said, "number": number, "seed": 99}))
    (last / "failed.txt").write_text("it <b>diverged</b>\n")
    return made


def test_the_measures_are_those_of_the_curves(folder: Path) -> None:
    (found,) = measured([("x", results(folder))], levels=[-0.6], last=500)
    assert len(found.groups) == 12 and found.what == "score"
    first = found.groups[0]
    assert first.final == pytest.approx([-0.01 + 0.001 * seed for seed in range(4)])
    for seed, time in enumerate(first.times(-0.6)):
        assert time == pytest.approx((0.4 - 0.001 * seed) / 0.99 * 1000 / 1.01)
    assert np.isinf(found.groups[-1].times(-0.4)).all()
    row = summary_rows(found)[0]
    assert row["runs"] == 4 and row["reached -0.6"] == 4
    assert row["final mean"] == row["final median"] == pytest.approx(-0.0085)
    assert row["final mean, low"] < row["final mean"] < row["final mean, high"]
    rows = difference_rows(found)
    assert len(rows) == 11, "each with the best one"
    assert {row["variant"] for row in rows} == {"A, alpha=0.01, epsilon=0.1"}
    last = next(row for row in rows if row["minus"] == "B <&>, alpha=1, epsilon=0.2")
    assert last["final"] == pytest.approx(0.49) and last["final, low"] > 0.48


class Page(HTMLParser):
    """What is in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        named = dict(attributes)
        self.sources += [str(named["src"])] if "src" in named else []
        self.links += [str(named["href"])] if "href" in named else []

    def handle_data(self, data: str) -> None:
        self.text += data


def test_what_is_written(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(figures._STYLE, "savefig.dpi", 50)  # quicker
    result = CliRunner().invoke(app, ["report", str(folder), "--out", str(tmp_path), "--level", "-0.6"])
    assert result.exit_code == 0, result.output
    assert "48 of 49 runs are finished" in result.output and "index.html" in result.output
    page = Page((tmp_path / "index.html").read_text())
    assert {"script", "link", "b"} & set(page.tags) == set(), "nothing runs, nothing is loaded, texts are escaped"
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    assert "it <b>diverged</b>" in page.text and "B <&>, alpha=0.1, epsilon=0.2" in page.text
    assert all((tmp_path / link).stat().st_size > 1000 for link in page.links)
    wanted = {
        *("learning-curves-perfect", "asymptotic-perfect", "time-to-learn-perfect--0.6", "run-time-perfect--0.6"),
        *("success-and-time-perfect--0.6", "sensitivity-perfect-alpha"),
        *("heat-perfect-alpha-epsilon-asymptotic", "heat-perfect-alpha-epsilon-time--0.6"),
    }
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}.{kind}" for name in wanted for kind in ("png", "svg", "pdf")
    }
    assert len(page.sources) == len(wanted)
    rows = list(csv.DictReader((tmp_path / "table.csv").open()))
    assert len(rows) == 48 * 20 and rows[0]["score"] == str(rising(-0.01, 1000 / 1.01, 0)[0])
    runs = list(csv.DictReader((tmp_path / "runs.csv").open()))
    assert [row["status"] for row in runs].count("failed") == 1 and len(runs) == 49


@pytest.mark.slow
def test_several_folders_on_one_page_and_the_same_bytes_again(tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    for seed in range(3):
        write_run(other, seed, {"alpha": 0.5}, seed, rising(-0.2, 700, seed))
        write_run(third, seed, {"alpha": 0.7}, seed, rising(-0.2, 700, seed))
    for out in ("one", "two"):
        write_report([other, third], tmp_path / out, centre="median", band="quartiles")
    text = (tmp_path / "one" / "index.html").read_text()
    assert "other: alpha=0.5" in text and "nine tenths of the way" in text
    written = {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()}
    assert all((tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes() for path in written)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["report", "EMPTY"], "is not the folder of a sweep"),
        (["report", "FOLDER", "--compare", "FOLDER"], "a folder is there twice"),
        (["report", "FOLDER", "--band", "rubber"], "--band is interval"),
        (["report", "FOLDER", "--centre", "x"], "--centre is mean or median"),
    ],
)
def test_mistakes(arguments: list[str], complaint: str, folder: Path, tmp_path: Path) -> None:
    places = {"EMPTY": str(tmp_path), "FOLDER": str(folder)}
    result = CliRunner().invoke(app, [places.get(argument, argument) for argument in arguments])
    assert result.exit_code == 2 and complaint in result.stderr


def test_nothing_finished_nothing_to_report(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(BoardlabError, match="is finished yet"):
        write_report([tmp_path], tmp_path / "out")
