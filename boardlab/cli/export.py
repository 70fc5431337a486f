"""`boardlab export`: the weights of an agent alone, for other programs."""

from __future__ import annotations

from pathlib import Path

from boardlab.agents.files import load_agent
from boardlab.cli.output import console
from boardlab.errors import BoardlabError

__all__ = ["run"]


def run(path: Path, out: Path) -> None:
    """Write the weights, and print what there is in the file."""
    if out.suffix != ".npz":
        raise BoardlabError(f"a file of weights ends with .npz; call it {out.with_suffix('.npz')}")
    agent = load_agent(path)
    agent.export_weights(out)
    for name, array in agent.weights().items():
        shape = " x ".join(f"{size:,}" for size in array.shape)
        console().print(f"{out}: {name}, {array.dtype} {shape}", soft_wrap=True)
