"""A measurement of balance in words and tables."""

from __future__ import annotations

from collections.abc import Sequence

from boardlab.balance.figures import BalanceReport, GameFigures, LevelFigures, SkillStep, common_level, most_balanced
from boardlab.balance.plan import Plan
from boardlab.matches.intervals import Estimate
from boardlab.matches.match import text_table

__all__ = ["course_rows", "findings", "plan_text", "range_rows", "report_text", "seat_rows", "skill_rows", "skill_text"]

Rows = list[list[str]]
"""A table; the first row is its head."""


def plan_text(plan: Plan, workers: int) -> str:
    """What will be done, and how long it takes, in a few lines."""
    lines = []
    for game in plan.games:
        pairs = sum(len(job.agents) > 1 for job in game.jobs)
        lines.append(
            f"{game.game}: {', '.join(game.levels)}; each against itself, and {pairs} pairs of them; "
            f"{game.jobs[0].games} games each"
        )
    minutes = sum(game.seconds for game in plan.games) / workers / 60
    games = sum(job.games for game in plan.games for job in game.jobs)
    return "\n".join([*lines, f"{games:,} games in all, about {_time(minutes)} on {workers} cores, seed {plan.seed}"])


def _time(minutes: float) -> str:
    return f"{minutes:.0f} min" if minutes >= 2 else f"{60 * minutes:.0f} s"


def report_text(report: BalanceReport) -> str:
    """All of it as text."""
    parts = [game_text(game) for game in report.games]
    if len(report.games) > 1:
        parts.append(f"over the range\n\n{text_table(range_rows(report.games))}\n\n{findings(report)}")
    return "\n\n\n".join(parts)


def game_text(game: GameFigures) -> str:
    """One game as text."""
    tables = [("course of the game", course_rows(game)), ("how much skill pays", skill_rows(game))]
    if len(game.players) > 1:
        tables.insert(0, ("seat advantage: share of wins of an agent against itself", seat_rows(game)))
    blocks = [f"{title}\n\n{text_table(rows)}" for title, rows in tables if len(rows) > 1]
    return "\n\n".join([f"{game.title} ({game.game})", *_remarks(game), *blocks, skill_text(game)])


def _remarks(game: GameFigures) -> list[str]:
    remarks = []
    if game.perfect is not None:
        remarks.append(f"with perfect play: {perfect_text(game)}")
    for level in game.levels:
        if level.distinct == 1 < level.games or (level.games == 1 and level.distinct == 1):
            remarks.append(f"{level.agent} plays the same game again and again: use --random-plies to vary its games")
    return remarks


def perfect_text(game: GameFigures) -> str:
    """The result of perfect play in words."""
    scores = game.perfect or ()
    if min(scores) == max(scores):
        return "a draw"
    best = [name for name, score in zip(game.players, scores, strict=True) if score == max(scores)]
    who = "the first player" if scores[0] == max(scores) and len(best) == 1 else " and ".join(best)
    rule = " where nobody may take over the first move" if _has_pie(game) else ""
    return f"{who} wins{rule} ({' : '.join(f'{score:g}' for score in scores)})"


def _has_pie(game: GameFigures) -> bool:
    return any(level.taken_over for level in game.levels)


# ---------------------------------------------------------------- tables


def seat_rows(game: GameFigures) -> Rows:
    """The share of wins of each seat at each level."""
    rows = [["agent", "games", *(f"{name}" for name in game.players), "imbalance"]]
    for level in game.levels:
        seats = [_percent(share) for share in level.shares]
        rows.append([level.agent, f"{level.games}", *seats, _percent(level.imbalance)])
    return rows


def course_rows(game: GameFigures) -> Rows:
    """Draws, length, choices, decision and leads at each level."""
    several = len(game.players) > 1
    pie = _has_pie(game)
    head = ["agent", *(["drawn"] if several else ["score"]), "plies", "choices"]
    head += ["decided after", "in first half", "lead changes"] if several else []
    rows = [[*head, *(["taken over"] if pie else [])]]
    for level in game.levels:
        row = [level.agent, _percent(level.draws) if several else _number(level.scores[0])]
        row += [_number(level.plies), _number(level.choices)]
        if several:
            row += [_percent(level.decided), _percent(level.decided_early), _number(level.lead_changes)]
        rows.append([*row, *([_percent(level.taken_over)] if pie else [])])
    return rows


def skill_rows(game: GameFigures) -> Rows:
    """What the stronger one of two levels wins."""
    rows = [["stronger", "weaker", "games", "share of wins", "Elo"]]
    for step in game.steps:
        rows.append([step.stronger, step.weaker, f"{step.share.games}", _percent(step.share), _elo(step)])
    return rows


def skill_text(game: GameFigures) -> str:
    """The Elo of the whole ladder in a sentence."""
    if len(game.ladder) < 2 or not game.steps:
        return "there is no pair of levels to compare"
    elo, low, high = game.skill
    return f"from {game.ladder[0]} to {game.ladder[-1]}: {_elo_text(elo, low, high)} Elo"


def range_rows(games: Sequence[GameFigures]) -> Rows:
    """The games of a range side by side, at the strongest level that all have."""
    agent = common_level(games)
    several = len(games[0].players) > 1
    rows = [
        [
            "game",
            *([*games[0].players[:1], "imbalance", "drawn"] if several else ["score"]),
            "plies",
            "choices",
            "Elo of skill",
        ]
    ]
    for game in games:
        level = next(level for level in game.levels if level.agent == agent)
        seats = [_percent(level.shares[0]), _percent(level.imbalance), _percent(level.draws)] if several else []
        row = [_varied(game), *(seats or [_number(level.scores[0])])]
        rows.append([*row, _number(level.plies), _number(level.choices), _elo_text(*game.skill)])
    return rows


def findings(report: BalanceReport) -> str:
    """Which game of a range is most balanced, in a sentence."""
    best = most_balanced(report.games)
    if best is None:
        return ""
    game, near = best
    agent = common_level(report.games)
    level: LevelFigures = next(level for level in game.levels if level.agent == agent)
    text = f"most balanced at {agent}: {_varied(game)}, with an imbalance of {_percent(level.imbalance)}"
    if near:
        return f"{text}; not told apart from it: {'; '.join(_varied(other) for other in near)}"
    return f"{text}; all others are farther from even"


def _varied(game: GameFigures) -> str:
    return ", ".join(f"{name}={value}" for name, value in game.varied.items()) or game.game


# ---------------------------------------------------------------- numbers


def _percent(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{100 * estimate.mean:.1f} % ({100 * estimate.low:.1f} .. {100 * estimate.high:.1f})"


def _number(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    digits = 0 if abs(estimate.mean) >= 1000 else 1 if abs(estimate.mean) >= 10 else 2
    return f"{estimate.mean:,.{digits}f} ({estimate.low:,.{digits}f} .. {estimate.high:,.{digits}f})"


def _elo(step: SkillStep) -> str:
    return _elo_text(step.elo, step.elo_low, step.elo_high)


def _elo_text(elo: float, low: float | None, high: float | None) -> str:
    bounds = f"{'?' if low is None else f'{low:+.0f}'} .. {'?' if high is None else f'{high:+.0f}'}"
    return f"{elo:+.0f} ({bounds})"
