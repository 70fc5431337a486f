"""`boardlab tune`: good settings found by Optuna."""

from __future__ import annotations

import shlex
from pathlib import Path

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.lab.tuning.description import Tuning
from boardlab.lab.tuning.figures import write_figures
from boardlab.lab.tuning.study import importances
from boardlab.lab.tuning.tune import carry_out_tuning

__all__ = ["run"]


def run(file: Path, folder: Path | None, *, trials: int | None, processes: int | None, cluster: str | None) -> None:
    """Try what is not tried yet, and say what was best."""
    out = console()
    tuning = Tuning.read(file)
    if trials is not None:
        tuning = tuning.model_copy(update={"tune": tuning.tune.model_copy(update={"trials": trials})})
    where = folder or Path("tunings") / file.stem
    if where.exists() and not where.is_dir():
        raise BoardlabError(f"{where} is a file; a tuning needs a folder")
    try:
        found = carry_out_tuning(
            tuning, where, lambda line: out.print(line, soft_wrap=True), processes=processes, cluster=cluster
        )
    except KeyboardInterrupt:
        out.print("stopped; the same command goes on")
        raise
    out.print(f"\nthe best of {found.trials:,} trials: {found.value:.4g}")
    for name, value in found.best.items():
        out.print(f"  {name} = {value}")
    shares = importances(found.study)
    if shares:
        out.print("what matters: " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items()), soft_wrap=True)
    for path in write_figures(found.study, tuning.tune.goal, where / "figures"):
        out.print(f"figure   {path}", soft_wrap=True)
    best = shlex.quote(str(where / "best.toml"))
    out.print(f"settings {best}; train with  boardlab train --config {best}", soft_wrap=True)
