"""The profile of a learner: its parts are those of a move, whichever way a game's afterstates are rated."""

from __future__ import annotations

from typing import Any

import pytest

from boardlab import make
from boardlab.bench import profile

FOLLOW, RULES, INDICES, RATED, CHOSEN, KEPT, MOVED, LEARNED = range(8)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "foreseen"), [("connect4", True), ("2048", False)])
def test_the_parts_are_the_whole(spec: str, foreseen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    times = [10.0, 7.0, 40.0, 100.0, 105.0, 12.0, 50.0, 60.0]
    stages: list[Any] = []

    def nanoseconds(game: object, kernels: list[tuple[object, tuple[Any, ...]]]) -> list[float]:
        stages.extend(arguments[-1] for _, arguments in kernels)
        return times

    monkeypatch.setattr(profile, "_nanoseconds", nanoseconds)
    monkeypatch.setattr(profile, "_ablations", lambda *_: [])
    monkeypatch.setattr(profile, "stretch_of", lambda _: (20, 20))
    found = profile.measure_profile(make(spec))
    assert stages[INDICES] == (profile._FORESEEN if foreseen else profile._UNSETTLED)
    parts = {part.name: part.ns_per_move for part in found.parts}
    choosing = sum(part.ns_per_move for part in found.parts if part.kind == "choosing")
    learning = sum(part.ns_per_move for part in found.parts if part.kind == "learning")
    assert choosing == pytest.approx(times[CHOSEN] - times[FOLLOW])
    assert learning == pytest.approx(times[LEARNED])
    assert parts["cells, difference, indices"] == pytest.approx(30.0 if foreseen else 23.0)
    assert parts["look-ups"] == pytest.approx(53.0 if foreseen else 60.0)
    assert found.afterstates_per_move > 1
