"""Work for a page that waits for it, given up when the page does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request as HttpRequest

from boardlab.web.server.errors import Problem

__all__ = ["unless_gone"]

Result = TypeVar("Result")

GONE_SECONDS = 0.25
"""How often it is asked whether the page still waits."""


async def unless_gone(request: HttpRequest, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of `work`, which is given up when the page that asked no longer waits for it."""
    task = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=GONE_SECONDS)
            if done:
                return task.result()
            if await request.is_disconnected():
                raise Problem(409, "the page no longer waits for the answer")
    finally:
        task.cancel()
