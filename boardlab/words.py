"""Numbers as people read them."""

from __future__ import annotations

__all__ = ["range_text", "rate_text", "score_text", "size_text", "time_text"]


def range_text(shortest: float, longest: float) -> str:
    """A length of time that is not known better: 40 to 60 s, 50 s to 3 min."""
    low, high = time_text(shortest), time_text(longest)
    if low == high:
        return high
    number, _, unit = low.rpartition(" ")
    return f"{number} to {high}" if " " not in number and high.endswith(f" {unit}") else f"{low} to {high}"


def rate_text(rate: float) -> str:
    """A rate with three digits that mean something: 0.0123, 4.57, 123, 45,600, 1,230,000."""
    if rate >= 1000:
        digits = len(str(int(rate))) - 3
        return f"{round(rate / 10**digits) * 10**digits:,}"
    return f"{rate:.3g}"


def score_text(score: float) -> str:
    """A score with its sign: three decimals where it is small, as most are, and none where it is large."""
    return f"{score:+.3f}" if abs(score) < 100 else f"{score:+,.0f}"


def size_text(count: float) -> str:
    """A number of bytes: 812 kB, 94.4 MB, 1.6 GB."""
    for unit, size in (("GB", 2**30), ("MB", 2**20)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count / 2**10:,.0f} kB"


def time_text(seconds: float) -> str:
    """A length of time in two units at most: 45 s, 12 min, 3 h 20 min, 2 d 5 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"
