"""The games that the tests of the adapters go through, and Chomp, the game of docs/your-own-game.md."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

FEW = ["tictactoe", "connect4:columns=5,rows=4", "nim:players=3", "2048", "dots:rows=2,columns=2"]
"""Two players and three, one player and chance, several moves in a row."""

ALL = [
    *("tictactoe", "connect4", "connect4:columns=6,rows=5,coding=3", "connect4:columns=9,rows=4"),
    *("othello", "othello:size=6", "othello:size=6,coding=3", "hex", "hex:size=2", "hex:size=11"),
    *("nim", "nim:heaps=2,stones=4", "nim:players=3", "nim:players=3,extra_rule=false,heaps=1,stones=7"),
    *("nimm3", "nimm3:pile=60", "2048", "dots", "dots:rows=1,columns=2", "dots:rows=5,columns=4"),
    *("sim", "sim:players=3", "sim:nodes=4", "sim:nodes=9,players=3"),
]
"""All nine games, with several parameters each."""


def write_chomp(folder: Path) -> Path:
    """The file of the guide, all of it but the parts that are no game."""
    guide = (Path(__file__).parent.parent / "docs" / "your-own-game.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n# (file:|add to|add to \w+ in) chomp\.py\n(.*?)^```$", guide, re.M | re.S)
    text = ""
    for where, block in blocks:
        if "boardlab.solvers" not in block:
            text += "\n" + (textwrap.indent(block, "    ") if where.endswith(" in") else block)
    file = folder / "chomp.py"
    file.write_text(text, encoding="utf-8")
    return file


def own_games(folder: Path) -> list[str]:
    """Chomp, and the one with chance."""
    file = write_chomp(folder)
    return [f"{file}:Chomp:rows=3,columns=4", f"{file}:LuckyChomp"]
