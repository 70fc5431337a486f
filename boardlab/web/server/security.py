"""The gate in front of all routes: who may ask, how much may be sent, and the headers of every answer.

The arena listens on the loopback interface and has no passwords, so the danger is another page in the same browser. It
cannot read our answers, but it could send requests (refused by Origin), or pretend by DNS to be our host (refused by
Host). A body must say that it is JSON or a file, which a form of another site cannot do without asking first.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardlab.web.server.errors import failure
from boardlab.web.server.settings import ArenaSettings

__all__ = ["Gate"]

_SAFE = ("GET", "HEAD", "OPTIONS")
_BODIES = ("application/json", "application/octet-stream")

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
        " connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: ArenaSettings) -> None:
        self.app, self.settings = app, settings
        self.hosts = {"localhost", "127.0.0.1", "::1", settings.host.lower(), *(n.lower() for n in settings.names)}
        self.any_address = settings.host in ("0.0.0.0", "::")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = self._with_headers(scope, send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await failure(*refusal)(scope, receive, send)
            return
        await self.app(scope, self._limited(scope, receive), send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and sentence where the request may not pass."""
        headers = Headers(scope=scope)
        if not self._is_own_host(headers.get("host", "")):
            return 403, "the arena does not answer under this host name; the setting names allows more of them"
        if not self._is_own_page(headers):
            return 403, "requests from other sites are not answered"
        if scope["method"] not in _SAFE and _has_body(headers):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in _BODIES:
                return 415, f"send {_BODIES[0]}, or {_BODIES[1]} for a file"
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            return 400, "the length of the request is no number"
        if int(length) > self._most(scope):
            return 413, self._too_large(scope)
        return None

    def _is_own_host(self, text: str) -> bool:
        try:
            name = urlsplit(f"//{text}").hostname or ""
        except ValueError:
            return False
        return "@" not in text and (name in self.hosts or (self.any_address and _is_address(name)))

    def _is_own_page(self, headers: Headers) -> bool:
        """Whether the request comes from our own page, or from no page at all. Links from other sites may lead to
        the page itself, which then asks for the rest."""
        origin = headers.get("origin")
        if origin is not None:
            return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        return headers.get("sec-fetch-site") != "cross-site" or headers.get("sec-fetch-mode") == "navigate"

    def _most(self, scope: Scope) -> int:
        upload = scope["path"] == "/api/files"
        return self.settings.upload_bytes if upload else self.settings.body_bytes

    def _too_large(self, scope: Scope) -> str:
        return f"the request is larger than {self._most(scope):,} bytes"

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """`receive` that counts what comes, for bodies that do not say their length or say it wrong."""
        most, seen = self._most(scope), 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, self._too_large(scope))
            return message

        return counted

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def decorated(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith("/api/"):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        return decorated


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _is_address(name: str) -> bool:
    """Whether the host is a number: no DNS entry of somebody else can stand for it."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
