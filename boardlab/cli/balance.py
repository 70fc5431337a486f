"""`boardlab balance`: how balanced a game is, or the games of a range of its parameters."""

from __future__ import annotations

import json
import re
from pathlib import Path

from boardlab.balance.figures import BalanceReport
from boardlab.balance.journal import write_whole
from boardlab.balance.measure import measurement
from boardlab.balance.page import page
from boardlab.balance.plan import Wish
from boardlab.balance.plots import save
from boardlab.balance.report import plan_text, report_text
from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import console, print_json
from boardlab.system.machine import cores

__all__ = ["run"]


def run(wish: Wish, out: Path | None, workers: int | None, *, json_wanted: bool) -> None:
    """Say what will be done, do it, write the report, and print it."""
    folder = out or Path("balance") / _folder_name(wish)
    count = workers or cores()
    say = console()
    if not json_wanted:
        say.print(f"games go to {folder}; stop with Ctrl-C and give the same command again to go on", soft_wrap=True)
    plan, play = measurement(wish, folder, count)
    if not json_wanted:
        say.print(plan_text(plan, count), soft_wrap=True)
        say.print()
    with games_progress("games") as progress:
        report = play(progress)
    text = report_text(report)
    _write(report, text, folder)
    if json_wanted:
        print_json(report.to_json())
        return
    print(text)
    say.print(f"\nthe page is {folder / 'balance.html'}; figures and pictures are beside it", soft_wrap=True)


def _write(report: BalanceReport, text: str, folder: Path) -> None:
    write_whole(folder / "balance.txt", f"{text}\n".encode())
    write_whole(folder / "balance.json", f"{json.dumps(report.to_json(), indent=2)}\n".encode())
    save(report, folder)
    write_whole(folder / "balance.html", page(report).encode())


def _folder_name(wish: Wish) -> str:
    """The game as the name of a folder."""
    name = re.sub(r"[^\w.=,-]+", "-", wish.spec.rpartition("/")[2]).strip("-.")
    return f"{name}-pie" if wish.pie else name
