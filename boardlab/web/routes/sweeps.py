"""Routes of sweeps, which are only looked at."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import StringConstraints
from starlette.responses import Response

from boardlab.web.server.errors import responses
from boardlab.web.server.parts import part
from boardlab.web.sweeps.models import Band, Centre, SweepLine, SweepReport, SweepView
from boardlab.web.sweeps.sweeps import Sweeps

__all__ = ["router"]

router = APIRouter(prefix="/api/sweeps", tags=["sweeps"])

TheSweeps = Annotated[Sweeps, part(Sweeps)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=300), Path(description="the name of a sweep")]
Evaluator = Annotated[str, StringConstraints(max_length=300)]
WEEK = 7 * 24 * 3600


@router.get("", responses=responses())
def list_sweeps(sweeps: TheSweeps) -> list[SweepLine]:
    """All sweeps in the folders of the arena, the one that changed last first."""
    return sweeps.all()


@router.get("/{name}", responses=responses(404, 429))
async def get_sweep(
    sweeps: TheSweeps,
    name: Name,
    evaluator: Annotated[Evaluator | None, Query(description="by whom; the first one when left out")] = None,
    centre: Centre = "mean",
    band: Band = "quartiles",
) -> SweepView:
    """A sweep as it stands: its runs, and a learning curve for each variant."""
    return await sweeps.view(name, evaluator, centre, band)


@router.get("/{name}/report", responses=responses(404, 429))
async def get_report(sweeps: TheSweeps, name: Name) -> SweepReport:
    """Statistics and figures of the finished runs, as `boardlab report` has them."""
    return await sweeps.report(name)


@router.get(
    "/{name}/figures/{figure}.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}, **responses(404, 429)},
)
async def get_figure(
    sweeps: TheSweeps, name: Name, figure: Annotated[str, StringConstraints(min_length=1, max_length=300)]
) -> Response:
    """A figure of the report."""
    svg = await sweeps.figure(name, figure)
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-cache"})


@router.get(
    "/{name}/{which}.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}, **responses(404, 429)},
)
async def get_table(
    sweeps: TheSweeps, name: Name, which: Literal["table", "runs", "summary", "comparison"]
) -> Response:
    """A table: every evaluation, the runs, the statistics, or what was published beside what came out here."""
    text = await sweeps.table(name, which)
    return Response(
        text,
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{which}.csv"'},
    )
