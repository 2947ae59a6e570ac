"""Orphan files by the local index, as the data of a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from lakemuster.catalog.orphans.parameters import OrphanReport, OrphanSearch, Sums, largest_first
from lakemuster.catalog.orphans.searches import FoundOrphans, orphans_of
from lakemuster.catalog.services import Services
from lakemuster.cli.sources import Advance, OrphanRequest, Row
from lakemuster.wire.instants import format_instant
from lakemuster.wire.rows import json_objects


class LocalOrphans:
    """The result of a search; its files are removed on close."""

    def __init__(self, services: Services, request: OrphanRequest, location: str, advance: Advance) -> None:
        search = OrphanSearch(
            location,
            request.older_than_ms,
            request.inventory,
            index=request.index,
            depth=request.depth,
            may_be_recent=True,
        )
        self._resources = ExitStack()
        opened = orphans_of(services, search, lambda listed: advance(listed, listed))
        self._found: FoundOrphans = self._resources.enter_context(opened)

    @property
    def report(self) -> Row:
        """The sums."""
        return report_document(self._found.report)

    def rows(self) -> Iterator[Row]:
        """Yield the orphans."""
        for batch in self._found.batches():
            yield from json_objects(batch)

    def save(self, path: Path) -> None:
        """Write the orphans to a Parquet file."""
        self._found.save(path)

    def close(self) -> None:
        """Remove the files of the search."""
        self._resources.close()


def report_document(report: OrphanReport) -> Row:
    """Return a report as JSON."""
    return {
        "location": report.location,
        "listed_at": format_instant(report.now_ms),
        "clock": report.clock,
        "older_than_seconds": report.older_than_ms // 1000,
        "tables": list(report.tables),
        "orphans": _sums(report.orphans),
        "listed": _sums(report.listed),
        "recent": _sums(report.recent),
        "undated": _sums(report.undated),
        "unnamed": report.unnamed,
        "links": report.links,
        "kinds": _named("kind", report.kinds),
        "folders": _named("folder", report.folders),
    }


def _sums(sums: Sums) -> Row:
    return {"files": sums.files, "bytes": sums.bytes}


def _named(key: str, sums: Mapping[str, Sums]) -> list[Row]:
    return [{key: name, **_sums(one)} for name, one in largest_first(sums)]
