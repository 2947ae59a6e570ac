"""Tables on disk, indexed and planned by one catalog in this process through the real write path."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from lakemuster.catalog.plan_response import PlanListing
from lakemuster.catalog.planning import explanation_out, plan_listing
from lakemuster.catalog.services import Services
from lakemuster.index import mapped_segment, segment_files
from lakemuster.planner.scan import planned_entries
from lakemuster.planner.view import View
from lakemuster.wire.native.plans import ExplainRequest, PlanRequest
from tests.contract.service.backends import catalog, settings
from tests.unit.planner.paimon.oracle.model import Table
from tests.unit.planner.paimon.oracle.written import write

BATCH_ROWS = 3


class Inline:
    """A decoder pool that decodes in this process, where bugs can be planted."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 - a process pool passes on every error
            done.set_exception(error)
        return done

    def close(self) -> None: ...


class Lake:
    """The tables of one catalog."""

    def __init__(self, folder: Path, services: Services) -> None:
        self._folder, self.services, self._count = folder, services, 0

    def add(self, rng: Random, table: Table) -> View:
        """Write and index a table, and return its view."""
        self._count += 1
        name = f"oracle.t{self._count}"
        write(rng, table, self._folder / name)
        self.services.add(name, str(self._folder / name), "paimon", (), operator=True)
        view = self.services.view(name)
        assert view.stale is None, view.stale
        return view

    def plan(self, view: View, **asked: Any) -> PlanListing:
        return plan_listing(self.services, view, PlanRequest(**asked), stale=None)

    def explain(self, view: View, **asked: Any) -> dict[str, Any]:
        return explanation_out(self.services, view, ExplainRequest(**asked), stale=None).model_dump(mode="json")


def files_of(listing: PlanListing, size: int = 10_000) -> list[dict[str, Any]]:
    """Return the files of a plan from its pages of ``size`` files."""
    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = listing.page(after, size)
        found += json.loads(b"[" + page.files + b"]")
        after = page.after
        if after is None:
            return found


@contextmanager
def lake(folder: Path) -> Iterator[Lake]:
    """Open a catalog in a folder, with segments in batches of ``BATCH_ROWS`` entries."""
    with (
        mock.patch.object(segment_files, "BATCH_ROWS", BATCH_ROWS),
        mock.patch.object(mapped_segment, "BATCH_ROWS", BATCH_ROWS),
        mock.patch.object(planned_entries, "BATCH_ROWS", BATCH_ROWS),
        catalog(settings(folder, max_staleness=3600.0, history=1)) as services,
    ):
        own, services.refresher.pool = services.refresher.pool, Inline()  # type: ignore[assignment]
        try:
            yield Lake(folder / "lake", services)
        finally:
            services.refresher.pool = own
