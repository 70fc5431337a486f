"""Numbers as people read them."""

from __future__ import annotations

__all__ = ["rate_text", "score_text", "size_text"]


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
