"""What the arena answers when a request cannot be fulfilled: a status and one sentence, never a traceback.

Everything that handles a request raises `Problem`, or lets the `BoardlabError` of a deeper room pass.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from boardlab.errors import BoardlabError

__all__ = ["Failure", "Problem", "install_handlers", "responses"]

_MEANINGS = {
    400: "The request is not JSON, or not a request at all.",
    403: "The request comes from another site.",
    404: "There is no such thing.",
    405: "This address knows other methods.",
    409: "It cannot be done in the present state.",
    413: "The request is larger than the arena allows.",
    415: "The content is of another type than expected.",
    422: "Something in the request is wrong.",
    429: "There are as many of them as the arena allows.",
}

_ANYWHERE = (400, 403, 413, 415, 422)
"""What any request can be answered with."""


class Failure(BaseModel):
    """The answer to a request that cannot be fulfilled."""

    error: str
    """What was wrong and what would be right, in a sentence."""


class Problem(Exception):
    """A request that cannot be fulfilled: the HTTP status and the sentence for the person."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of a route that can fail in these ways, besides those in which every route can."""
    return {status: {"model": Failure, "description": _MEANINGS[status]} for status in sorted({*_ANYWHERE, *statuses})}


def failure(status: int, sentence: str) -> JSONResponse:
    """The response of a failed request."""
    return JSONResponse({"error": sentence}, status)


def install_handlers(app: FastAPI) -> None:
    """Turn every exception that leaves a route into an answer."""

    @app.exception_handler(Problem)
    async def problem(_request: Request, error: Problem) -> JSONResponse:
        return failure(error.status, error.sentence)

    @app.exception_handler(BoardlabError)
    async def mistake(_request: Request, error: BoardlabError) -> JSONResponse:
        return failure(422, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return failure(*_validation(error))

    @app.exception_handler(HTTPException)
    async def http(_request: Request, error: HTTPException) -> JSONResponse:
        response = failure(error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def unexpected(_request: Request, _error: Exception) -> JSONResponse:  # uvicorn prints the traceback
        return failure(500, "something went wrong in the arena; the terminal in which it runs tells what")


def _validation(error: RequestValidationError) -> tuple[int, str]:
    """Status and sentence for the first thing that a request's model does not allow."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return 400, "the request is not valid JSON"
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    reason = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "string_pattern_mismatch":  # nobody has to read regular expressions
        reason = f"there is no {str(first['input'])[:80]!r}"
    return 422, f"{place}: {reason}" if place else reason
