"""Which executor is meant."""

from __future__ import annotations

from boardlab.executors.tasks import Executor

__all__ = ["open_executor"]


def open_executor(cluster: str | None = None, processes: int | None = None) -> Executor:
    """The workers of the Dask scheduler at an address, or so many processes on this machine, one for each core by
    default."""
    if cluster is not None:
        from boardlab.executors.cluster import ClusterExecutor

        return ClusterExecutor(cluster)
    from boardlab.executors.local import LocalExecutor

    return LocalExecutor(processes)
