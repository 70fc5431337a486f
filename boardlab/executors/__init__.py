"""Work in other processes, on this machine or on a cluster, behind one interface.

    >>> with open_executor() as executor:
    ...     executor.submit(Task("first", "boardlab.lab.sweeps.runs:carry_out", {"folder": "..."}))
    ...     for outcome in executor.outcomes():
    ...         print(outcome.task.name, outcome.failure or outcome.result)

A task is a function, named as `module:function`, with arguments and a result that are plain JSON. It runs in the main
thread of a process of its own, where it hears SIGTERM when it is to stop. Outcomes come as they are there; a task that
fails, or whose process dies, is an outcome with a reason and disturbs no other.
"""

from boardlab.executors.opening import open_executor
from boardlab.executors.tasks import Executor, Outcome, Task

__all__ = ["Executor", "Outcome", "Task", "open_executor"]
