"""How a route gets the parts of the arena that it uses: its signature names them, and nothing else is at hand."""

from __future__ import annotations

from typing import Any

from fastapi import Depends
from fastapi import Request as HttpRequest

__all__ = ["part"]


def part(kind: type) -> Any:
    """The arena's part of this type, for a signature: `Annotated[Runs, part(Runs)]`."""

    async def find(request: HttpRequest) -> Any:
        return request.app.state.parts[kind]

    return Depends(find)
