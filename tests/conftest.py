"""What all tests share: a process that hears Ctrl-C, as do the commands that it starts. A shell that runs the tests in
the background lets them ignore it, and children inherit that. And the fixtures of the tests in a browser and of
those of `check_game`."""

from __future__ import annotations

import signal

from browser import arena, chromium, page, phone
from check_games import uncompiled

__all__ = ["arena", "chromium", "page", "phone", "uncompiled"]

signal.signal(signal.SIGINT, signal.default_int_handler)
