"""Step-size rules against their slow references (tests/reference_rules.py), and what each of them promises."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from reference_rules import RULES
from rule_runs import Kept, Updates, apply, fresh, random_updates, run, run_reference
from typer.testing import CliRunner

from boardlab import BoardlabError
from boardlab.cli.main import app
from boardlab.compiler import kernel
from boardlab.learn.rules import Signal, make_rule, refusal, rule_classes, rule_names
from boardlab.learn.rules.base import StepSizeRule

OUTPUTS = ("tanh", "logistic", "identity")
UNBOUNDED = {"idbd", "nl-idbd", "smd"}
"""Rules that diverge, as they should, when large errors do not fall."""

COMBINATIONS = [
    (name, output, traces)
    for name, cls in rule_classes().items()
    for output in cls.outputs
    for traces in ((False, True) if cls.with_traces else (False,))
]

OTHER_SETTINGS = [
    ("tcl", {"initial": 0.5}, 1.0),
    ("tcl-delta", {"initial": 1.0}, 1.0),
    ("tcl-exp", {"beta": 1.5, "initial": 0.0}, 1.0),
    ("tcl-pl", {"beta": 1.2}, 1.0),
    ("idbd", {"alpha0": 0.05, "theta": 30.0}, 0.06),
    ("nl-idbd", {"alpha0": 0.05, "theta": 10.0}, 0.06),
    ("smd", {"alpha0": 0.01, "theta": 30.0, "mu": 0.9}, 0.1),
    ("k1", {"alpha0": 0.1, "theta": 30.0}, 0.3),
    ("elk1", {"alpha0": 0.1, "theta": 30.0}, 0.3),
    ("autostep", {"alpha0": 0.5, "mu": 0.1, "tau": 100.0}, 1.0),  # its sum exceeds 1
    ("alpha-bounds", {"alpha0": 0.01}, 1.0),
    ("rprop+", {"alpha0": 0.1, "up": 1.5, "down": 0.2, "lowest": 0.02, "highest": 0.3}, 1.0),
    ("irprop-", {"alpha0": 0.1, "up": 1.5, "down": 0.2, "lowest": 0.02, "highest": 0.3}, 1.0),
    ("alap", {"alpha0": 0.01, "theta": 0.1, "c": 0.3}, 1.0),
]


def assert_close(found: Kept, reference: dict[int, float], tolerance: float = 1e-5) -> None:
    wanted = np.array([reference.get(i, 0.0) for i in range(len(found.weights))])
    assert 1e-4 < np.abs(wanted).max() < 1e4
    assert np.abs(found.weights - wanted).max() < tolerance * np.abs(wanted).max()


# ------------------------------------------------------------ against the references


def test_every_rule_has_a_reference() -> None:
    assert set(RULES) == set(rule_names())
    assert all(make_rule(name, 1e-4, 2.7).name == name for name in rule_names())


@pytest.mark.parametrize(("name", "output", "traces"), COMBINATIONS)
def test_a_rule_and_its_reference(name: str, output: str, traces: bool) -> None:
    """400 updates with inputs of 0, 1 and 2, errors of 0, and with traces weights that are not active."""
    updates = random_updates(output, traces, seed=1, largest=0.1 if name in UNBOUNDED else 1.0)
    assert_close(run(name, updates, compiled=False), run_reference(name, {}, updates))


@pytest.mark.parametrize(("name", "settings", "largest"), OTHER_SETTINGS)
def test_other_settings(name: str, settings: dict[str, float], largest: float) -> None:
    updates = random_updates(rule_classes()[name].outputs[0], False, seed=2, largest=largest)
    spec = f"{name}:" + ",".join(f"{key}={value}" for key, value in settings.items())
    found = run(spec, updates, compiled=False)
    assert_close(found, run_reference(name, settings, updates), tolerance=3e-5)
    assert np.abs(found.weights - run(name, updates, compiled=False).weights).max() > 1e-3 * np.abs(found.weights).max()


@pytest.mark.parametrize("name", rule_names())
def test_compiled_and_plain_updates_agree(name: str) -> None:
    updates = random_updates(rule_classes()[name].outputs[0], False, seed=3, largest=0.1)
    compiled, plain = run(name, updates, compiled=True), run(name, updates, compiled=False)
    for ours, theirs in zip(compiled, plain, strict=True):
        assert ours.dtype == theirs.dtype == np.float32
        assert np.abs(ours - theirs).max(initial=0.0) <= 1e-5 * np.abs(theirs).max(initial=0.0)
    assert plain.weights.any()


@pytest.mark.parametrize("name", rule_names())
def test_who_has_no_part_stays_as_he_is(name: str) -> None:
    """A weight that is listed with e = x = 0 keeps its memory, too; the others do not notice."""
    updates = random_updates(rule_classes()[name].outputs[0], False, seed=4, number=60, largest=0.3)
    silent = np.isin(updates.index, (3, 8))
    updates = updates._replace(e=np.where(silent, 0, updates.e), x=np.where(silent, 0, updates.x))
    rule = make_rule(name, 1e-4, 2.7)
    kept, before = fresh(rule), fresh(rule)
    kept.memory[3] += 0.5
    before.memory[3] += 0.5
    apply.py_func(rule, kept, updates)
    assert kept.weights[[3, 8]].tolist() == [0.0, 0.0]
    assert kept.memory[[3, 8]].tobytes() == before.memory[[3, 8]].tobytes()
    assert kept.weights[5] != 0.0


# ------------------------------------------------------------ temporal coherence


def repeated(deltas: list[float], alpha: float = 0.5, e: float = 1.0) -> Updates:
    """Updates of weight 0 alone, with these errors."""
    n = len(deltas)
    column, ones = np.full((n, 1), e, np.float32), np.ones(n, np.float32)
    zeros = np.zeros(n, np.float32)
    return Updates(
        np.zeros((n, 1), np.int64), column, column, np.array(deltas, np.float32), ones, ones, zeros, ones * alpha
    )


def moves(spec: str, deltas: list[float], initial: float = 0.0) -> list[float]:
    """How far each of these errors moves a weight."""
    rule = make_rule(spec, initial, 2.7)
    kept, path = fresh(rule), [0.0]
    for delta in deltas:
        apply.py_func(rule, kept, repeated([delta]))
        path.append(float(kept.weights[0]))
    return np.diff(path).tolist()


def test_changes_of_one_sign_keep_the_step_and_alternating_ones_lose_it() -> None:
    """After changes 1, 1, 1 the next step is a full one; after 1, -1, 1 it is a third."""
    assert moves("tcl", [1, 1, 1, 1])[-1] == pytest.approx(0.5)
    assert moves("tcl", [1, -1, 1, 1])[-1] == pytest.approx(0.5 / 3, rel=1e-5)
    assert moves("tcl-exp", [1, -1, 1, 1])[-1] == pytest.approx(0.5 * math.exp(-2.7 * 2 / 3), rel=1e-5)


@pytest.mark.parametrize("name", ["tcl", "tcl-delta"])
def test_temporal_coherence_of_negative_eligibilities(name: str) -> None:
    """A feature may be negative: what counts is where the weight is sent, not the sign of the error."""
    rule = make_rule(name, 0.0, 2.7)
    kept = fresh(rule)
    for delta, e in ((1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, -1.0)):
        apply.py_func(rule, kept, repeated([delta], e=e))
    assert kept.memory[0].tolist() == [4.0, 4.0] and kept.weights[0] == 2.0


@pytest.mark.parametrize(("beta", "bound"), [(0.5, 5e-6), (2.7, 5e-6), (4.0, 5e-6), (20.0, 3e-3)])
def test_the_fast_exponential(beta: float, bound: float) -> None:
    """Against math.exp over all coherences; at 1 it is exactly 1, and it grows with the coherence."""
    rule = make_rule("tcl-exp", 1e-4, beta)
    coherences = np.linspace(0, 1, 2001, dtype=np.float32)
    found = np.array([rule.transfer(q) for q in coherences], np.float64)
    exact = np.array([math.exp(float(np.float32(beta)) * (float(q) - 1)) for q in coherences])
    assert np.max(np.abs(found / exact - 1)) < bound
    assert found[-1] == 1.0
    assert np.all(np.diff(found) > -1e-6)


# ------------------------------------------------------------ what the others promise


def test_the_bounds_of_idbd() -> None:
    """A step size changes by a factor of exp(2) at most, and does not fall below exp(-10)."""
    steps = moves("idbd:theta=1e5", [0.1, 0.1, *[-0.01] * 10])
    assert steps[:3] == pytest.approx([0.00067, 0.00067 * math.exp(2), -0.000067], rel=1e-3)
    assert steps[-1] == pytest.approx(-0.01 * math.exp(-10), rel=0.05)


def test_the_bound_of_smd() -> None:
    """A step size is halved at most."""
    assert moves("smd:theta=1e5", [0.1, -0.1]) == pytest.approx([0.00302, -0.00151], rel=1e-5)


def test_the_bound_of_alap() -> None:
    """After gradients 1 and -1 the mean square is c + (1 - c) c; no step size falls below 1e-6."""
    first, second, *_, last = moves("alap:alpha0=0.1,c=0.5,theta=0.3", [1, -1] * 40)
    assert (first, second) == pytest.approx((0.1, -0.1 * (1 - 0.3 / 0.75)), rel=1e-5)
    assert last == pytest.approx(-1e-6, rel=0.1)


@kernel
def track(rule, kept, signs, xs, step):
    """Sutton's task of 1992: y* is the sum of the first five of 20 inputs, each times its sign. Gives the mean squared
    error of the second half."""
    n = xs.shape[1]
    memory = np.ascontiguousarray(kept.memory.T)
    zero, one = np.float32(0.0), np.float32(1.0)
    error = 0.0
    for t in range(len(xs)):
        delta = zero
        for i in range(n):
            delta += (signs[t, i] - kept.weights[i]) * xs[t, i]
        if t >= len(xs) // 2:
            error += delta * delta
        total = zero
        signal = Signal(step, delta, one, one, zero, total, kept.scalars)
        if rule.passes == 2:
            for i in range(n):
                total += rule.prepare(memory, i, xs[t, i], xs[t, i], signal)
            signal = Signal(step, delta, one, one, zero, total, kept.scalars)
            rule.settle(signal)
        for i in range(n):
            rule.update(kept.weights, memory, i, xs[t, i], xs[t, i], signal)
    kept.memory[:] = memory.T
    return error / (len(xs) - len(xs) // 2)


def tracking_error(spec: str, step: float = 0.0) -> tuple[float, np.ndarray]:
    """The error of a rule in Sutton's task, and the memory of each weight afterwards."""
    rng = np.random.default_rng(1992)
    xs = rng.normal(size=(30_000, 20)).astype(np.float32)
    signs = np.zeros((30_000, 20), np.float32)
    now = np.array([1.0] * 5 + [0.0] * 15, np.float32)
    for t in range(len(xs)):
        if t % 20 == 0:
            now[rng.integers(5)] *= -1
        signs[t] = now
    rule = make_rule(spec, 1e-4, 2.7)
    kept = fresh(rule, 20)
    return track(rule, kept, signs, xs, np.float32(step)), kept.memory


@pytest.fixture(scope="module")
def best_plain_error() -> float:
    """The error of the best of all constant step sizes, about 3.5."""
    error = min(tracking_error("plain", step)[0] for step in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08))
    assert 2.5 < error < 4.5
    return error


@pytest.mark.parametrize(
    ("spec", "step_sizes"),
    [
        ("idbd:alpha0=0.05,theta=0.001", lambda memory: np.exp(memory[:, 0])),
        ("smd:alpha0=0.05,theta=0.001", lambda memory: memory[:, 0]),
        ("k1:alpha0=0.05,theta=0.001", lambda memory: np.exp(memory[:, 0])),
        ("autostep:alpha0=0.05,mu=0.01", lambda memory: memory[:, 0]),
    ],
    ids=lambda value: value.partition(":")[0] if isinstance(value, str) else "",
)
def test_the_relevant_inputs_are_found(spec: str, step_sizes, best_plain_error: float) -> None:
    """Sutton 1992: large step sizes for the five inputs that count, small ones for the fifteen others, and an error
    well below that of the best constant step size."""
    error, memory = tracking_error(spec)
    relevant, others = step_sizes(memory)[:5], step_sizes(memory)[5:]
    assert relevant.min() > 3 * others.max()
    assert error < 0.75 * best_plain_error


@pytest.mark.parametrize("alpha0", [0.005, 5.0])
def test_autostep_never_overshoots(alpha0: float) -> None:
    """After every update the error of the same input has the same sign, and is not larger; whatever the first step
    size."""
    rng = np.random.default_rng(5)
    rule = make_rule(f"autostep:alpha0={alpha0},mu=0.1", 1e-4, 2.7)
    kept = fresh(rule)
    for _ in range(300):
        x = rng.normal(size=12).astype(np.float32) * rng.choice([0.1, 1.0, 10.0])
        delta = np.float32(rng.normal() - kept.weights @ x)
        before = kept.weights.copy()
        one = np.ones(1, np.float32)
        apply.py_func(
            rule, kept, Updates(np.arange(12)[None], x[None], x[None], one * delta, one, one, one * 0, one * 0)
        )
        left = delta - (kept.weights - before) @ x
        assert left * delta >= -1e-5 * delta**2 and abs(left) <= abs(delta) * (1 + 1e-5)


@pytest.mark.parametrize(("name", "output"), [("k1", "identity"), ("elk1", "tanh")])
def test_normalised_rules_reduce_the_error(name: str, output: str) -> None:
    """A fixed function of 12 inputs is learned, from a large first step size, too; K1 never overshoots."""
    rng = np.random.default_rng(6)
    truth = rng.normal(size=12) * 0.3
    rule = make_rule(f"{name}:alpha0=0.5,theta=0.1", 1e-4, 2.7)
    kept, errors = fresh(rule), []
    one = np.ones(1, np.float32)
    for _ in range(600):
        x = rng.choice([0.0, 1.0, 2.0], 12).astype(np.float32)
        f, y = float(kept.weights @ x), float(truth @ x)
        if output == "tanh":
            f, y = math.tanh(f), math.tanh(y)
        slope = 1 - f * f if output == "tanh" else 1.0
        delta, before = y - f, kept.weights.copy()
        apply.py_func(
            rule,
            kept,
            Updates(np.arange(12)[None], slope * x[None], x[None], one * delta, one * slope, one, one * 0, one * 0),
        )
        errors.append(abs(delta))
        if name == "k1":
            assert -1e-6 <= (kept.weights - before) @ x / delta * abs(delta) <= abs(delta) + 1e-6
    assert np.mean(errors[-100:]) < 0.1 * np.mean(errors[:30])


def test_elk1_where_the_output_is_flat() -> None:
    """At y = +-1 the slope is 0 in 32 bits: everything stays finite, and the weight still moves."""
    updates = random_updates("tanh", False, seed=7, number=100)
    slope = np.where(np.arange(100) % 3 == 0, 0, updates.slope).astype(np.float32)
    updates = updates._replace(slope=slope, e=slope[:, None] * updates.x)
    kept = run("elk1", updates, compiled=False)
    assert np.isfinite(kept.weights).all() and np.isfinite(kept.memory).all()
    flat = repeated([0.5])._replace(slope=np.zeros(1, np.float32), e=np.zeros((1, 1), np.float32))
    assert run("elk1", flat, compiled=False).weights[0] > 0


def test_what_a_change_of_sign_does() -> None:
    """Two steps forwards, then an error of the other sign, smaller than the one before or larger, then one more."""
    for name, smaller, larger in (
        ("rprop-", -0.6e-3, -0.6e-3),  # moves by half the step
        ("irprop-", 0.0, 0.0),  # pauses
        ("rprop+", -1.2e-3, -1.2e-3),  # goes back
        ("irprop+", 0.0, -1.2e-3),  # goes back if the error has grown, else pauses
    ):
        for turn, wanted in ((-0.25, smaller), (-0.75, larger)):
            first, second, third, fourth = moves(name, [0.5, 0.5, turn, turn])
            assert (first, second) == pytest.approx((1e-3, 1.2e-3))
            assert third == pytest.approx(wanted, abs=1e-7)
            # who has paused or gone back takes the halved step now; who has not takes a longer one again
            assert fourth == pytest.approx(-0.72e-3 if name == "rprop-" else -0.6e-3, abs=1e-7)


def test_the_bound_of_alpha() -> None:
    """The largest alpha for which an update does not turn the error of its own transition around; it never grows."""
    updates = repeated([1.0, 1.0, 1.0])
    updates = updates._replace(
        x=np.array([[2], [1], [3]], np.float32),
        e=np.array([[2], [1], [3]], np.float32),
        ahead=np.array([2, 0.5, 0], np.float32),
        gamma=np.full(3, 0.5, np.float32),
    )
    rule = make_rule("alpha-bounds", 1e-4, 2.7)
    kept, alphas = fresh(rule), []
    for t in range(3):
        apply.py_func(rule, kept, Updates(*(part[t : t + 1] for part in updates)))
        alphas.append(float(kept.scalars[0]))
    assert alphas == pytest.approx([1 / 3, 1 / 3, 1 / 9])  # 1 / |0.5 * 2 - 4|, 1 / |0.25 - 1| is larger, 1 / 9
    assert kept.weights[0] == pytest.approx(2 / 3 + 1 / 3 + 3 / 9)
    flat = updates._replace(slope=np.full(3, 0.25, np.float32), ahead=np.zeros(3, np.float32))
    assert run("alpha-bounds", flat, compiled=False).scalars[0] == pytest.approx(1 / (0.25 * 9))


# ------------------------------------------------------------ names, parameters, combinations


def test_settings_do_not_recompile() -> None:
    """Floats of a rule are read at run time: two values of beta are one type for the compiler."""
    assert make_rule("tcl-exp", 0.1, 1.0)._numba_type_ == make_rule("tcl-exp", 0.2, 3.0)._numba_type_
    assert make_rule("tcl-exp", 0.1, 1.0)._numba_type_ != make_rule("tcl", 0.1, 1.0)._numba_type_
    assert make_rule("idbd", 0.1, 1.0)._numba_type_ == make_rule("idbd:theta=9,alpha0=0.1", 0.1, 1.0)._numba_type_


def test_rules_by_name() -> None:
    assert len(rule_names()) == 17
    assert {"plain", "tcl", "tcl-delta", "tcl-exp", "tcl-pl", "nl-idbd", "rprop+", "alpha-bounds"} <= set(rule_names())
    with pytest.raises(BoardlabError, match="there is no step-size rule 'tcl-ex'; did you mean 'tcl-exp'"):
        make_rule("tcl-ex", 1e-4, 2.7)


def test_the_published_settings() -> None:
    """Table 5.1 of Thill 2015."""
    wanted = {
        "idbd": (0.0067, 3.0),
        "nl-idbd": (0.0302, 3.1),
        "smd": (0.0302, 3.1),
        "k1": (0.009, 6.0),
        "elk1": (0.0111, 5.0),
    }
    for name, (alpha0, theta) in wanted.items():
        rule = make_rule(name, 1e-4, 2.7)
        assert (float(rule.alpha0), float(rule.theta)) == pytest.approx((alpha0, theta))
    autostep = make_rule("autostep", 1e-4, 2.7)
    assert (autostep.alpha0, autostep.mu, autostep.tau) == pytest.approx((0.005, 1e-4, 1e4))
    assert make_rule("alpha-bounds", 1e-4, 2.7).first_scalars() == (1.0,)


def test_a_rule_has_parameters_of_its_own_or_those_of_the_agent() -> None:
    agents, own = make_rule("tcl-exp", 0.5, 3.0), make_rule("tcl-exp:beta=2,initial=0.25", 0.5, 3.0)
    assert (float(agents.initial), float(agents.beta)) == (0.5, 3.0)
    assert (float(own.initial), float(own.beta)) == (0.25, 2.0)
    assert own.spec == "tcl-exp:initial=0.25,beta=2.0"
    assert own._numba_type_ == agents._numba_type_  # numbers are read at run time
    with pytest.raises(BoardlabError, match="beta is a number from 0 to 20, not 21"):
        make_rule("tcl-exp:beta=21", 0.5, 3.0)
    with pytest.raises(BoardlabError, match="there is no parameter of the step-size rule plain 'beta'"):
        make_rule("plain:beta=2", 0.5, 3.0)


def test_senseless_combinations_get_a_sentence() -> None:
    def said(name: str, output: str, lam: float = 0.0) -> str | None:
        return refusal(make_rule(name, 1e-4, 2.7), output, lam)

    assert said("idbd", "tanh") == (
        "idbd is defined for a linear output; take output=identity, or nl-idbd for a logistic one"
    )
    assert said("alpha-bounds", "logistic") == (
        "alpha-bounds is defined for a linear or tanh output; take output=identity or output=tanh,"
        " or nl-idbd for a logistic one"
    )
    assert said("elk1", "tanh", 0.5) == (
        "elk1 is not defined for eligibility traces; take lambda=0, or a rule that is, such as tcl-exp, or nl-idbd with"
        " output=logistic"
    )
    assert said("idbd", "identity") is None
    assert [name for name in rule_names() if said(name, "tanh", 0.5) is None] == [
        "alpha-bounds",
        "tcl",
        "tcl-delta",
        "tcl-exp",
        "tcl-pl",
        "plain",
    ]
    assert said("nl-idbd", "logistic", 0.5) is None and said("smd", "logistic", 0.5) is None


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """`boardlab rules` says of each what it goes together with; of one, its options, too."""
    monkeypatch.setenv("COLUMNS", "200")

    def told(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["rules", *arguments])
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())

    everything = told()
    assert all(f" {name} " in everything for name in rule_names())
    assert "idbd identity no IDBD: each weight learns" in everything
    assert "plain any yes TDL" in everything
    assert "Outputs: logistic. Eligibility traces: yes." in told("nl-idbd")
    assert "theta 3.1 a number from 0 to 1000000 step size of the step sizes" in told("nl-idbd")


FORMER = """
from boardlab import StepSizeRule

class Former(StepSizeRule):
    def update(self, weights, memory, i, alpha, delta, e):
        weights[i] += alpha * delta * e

class Lonely(StepSizeRule):
    scalars = 1

    def update(self, w, m, place, eligibility, hit, s):
        w[place] += s.alpha * s.delta * eligibility
"""


def test_a_rule_of_ones_own_that_does_not_fit(tmp_path: Path) -> None:
    """The arguments of update have changed; who has scalars says what they are at first."""
    file = tmp_path / "own.py"
    file.write_text(FORMER)
    with pytest.raises(BoardlabError) as caught:
        make_rule(f"{file}:Former", 1e-4, 2.7)
    assert str(caught.value) == (
        "the step-size rule Former has update(self, weights, memory, i, alpha, delta, e); write update(self, weights,"
        " memory, i, e, x, signal), where signal.alpha and signal.delta are the step size and the error"
    )
    with pytest.raises(BoardlabError, match=r"Lonely has 1 scalars, so its first_scalars returns as many numbers"):
        make_rule(f"{file}:Lonely", 1e-4, 2.7)


def test_what_a_rule_declares_fits_together() -> None:
    for name, cls in rule_classes().items():
        rule = cls()
        assert (len(rule.first_memory()), len(rule.first_scalars())) == (rule.slots, rule.scalars), name
        assert rule.own_alpha == hasattr(cls, "alpha0"), name
        assert set(rule.outputs) <= set(OUTPUTS)
        two = type(rule).prepare is not StepSizeRule.prepare or type(rule).settle is not StepSizeRule.settle
        assert rule.passes == (2 if two else 1), name
