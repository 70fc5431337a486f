"""`boardlab tuples`: what n-tuples a network would look at, how large its tables would be, and a picture of them."""

from __future__ import annotations

from pathlib import Path

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.generators import random_examples
from boardlab.ntuple.layout import make_layout
from boardlab.ntuple.picture import draw_tuples
from boardlab.registry import make

__all__ = ["run"]


def run(spec: str, text: str, seed: int, out: Path | None) -> None:
    """Print the tuples, and draw them to a file where one is named."""
    game = make(spec)
    tuples = make_tuples(game, text, seed)
    layout = make_layout(game, tuples)
    screen = console()
    for cells, size in zip(layout.tuples, layout.sizes, strict=True):
        screen.print(f"{' '.join(map(str, cells))}  ({size:,} weights)", soft_wrap=True)
    known = ", ".join(["default", *game.tuple_sets()])
    screen.print(f"{len(tuples)} n-tuples of {game.title}, {layout.num_weights:,} weights a table set; sets: {known}")
    screen.print(f"random ones: {', '.join(random_examples(game))}")
    if out is not None:
        try:
            out.write_text(draw_tuples(game, tuples), encoding="utf-8")
        except OSError as error:
            raise BoardlabError(f"{out} cannot be written: {error.strerror}") from error
        screen.print(f"drawn in {out}")
