"""What runs in a process that carries out tasks: `python -m boardlab.executors.process -`, started by `worker`.

One task after the other, each a line of JSON in and a line of JSON out. Modules and machine code stay loaded from task
to task. The process ends with the one that started it, with all that it has started itself.
"""

from __future__ import annotations

import importlib
import json
import queue
import traceback
from collections.abc import Callable
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.system.pipe import end_at_once, listen, settle_in
from boardlab.user_errors import explain_user_error

__all__ = ["answer", "main"]


def main() -> None:
    """Work until the pipe is closed."""
    tell = settle_in(niceness=0)
    jobs: queue.Queue[dict[str, Any]] = queue.Queue()
    listen(jobs.put, end_at_once)
    while True:
        tell(answer(jobs.get()))


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Call the function of a job; whatever goes wrong becomes a sentence."""
    try:
        result = _function(job["function"])(**job["arguments"])
        json.dumps(result)
        return {"result": result}
    except BoardlabError as error:
        return {"failure": str(error)}
    except MemoryError as error:
        return {"failure": f"there is not enough memory for this. {error}".rstrip()}
    except Exception as error:
        explained = explain_user_error(error)
        if explained is None:
            traceback.print_exc()
        return {"failure": explained or f"{type(error).__name__}: {error}"}


def _function(name: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


if __name__ == "__main__":
    main()
