"""A cache of plans' first pages, reused for later snapshots: after a commit only its new manifests are planned.

A page lists files of its snapshot's manifests, in their order. For a later snapshot it is the same, byte for byte, if

* the later snapshot lists all of the earlier one's data manifests in the same order, row for row (equal ids of the
  index), and the predicate matches no file of the manifests added in between, wherever they stand;
* the delete manifests are the same, since a new delete file may apply to any file;
* schemas, specs and rewrites, which decide how files are written, are the same;
* it ended because it was full, or because the plan ended. Otherwise a page is cut at a limit of bytes, which depends
  on how manifests were read together.

The totals of the whole plan are counted again from what zones leave of the new snapshot. The cache is for Iceberg
only: any commit may cancel a file of a Paimon table.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lakemuster.catalog.plan_response import PlanListing, PlanPage
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.format_rules import IcebergReading
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import rows_of
from lakemuster.wire.documents import exact

KEPT_BYTES = 32 * 2**20
"""Maximum bytes of all cached pages."""

MOST_NEW = 64
"""Maximum number of new manifests: with more, the page is made again."""

_OVERHEAD = 2048
_MANIFEST_BYTES = 8

Question = tuple[object, ...]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Listed:
    """The manifests of a snapshot, and what decides how its files are written.

    Attributes:
        data, deletes: ids of its data and delete manifests, in order.
    """

    data: Ids
    deletes: Ids
    schemas: tuple[Schema, ...]
    specs: tuple[PartitionSpec, ...]
    rewrites: tuple[tuple[str, str], ...]


class _Kept(NamedTuple):
    listed: _Listed
    page: PlanPage

    @property
    def weight(self) -> int:
        """Approximate size in bytes. Pages of one snapshot share its ``listed``."""
        return len(self.page.files) + len(self.page.deletes) + _OVERHEAD + _MANIFEST_BYTES * len(self.listed.data)


class PageCache:
    """First pages of plans, the most recently used ones within a budget of bytes.

    Attributes:
        reused: number of pages that were reused for another snapshot.
    """

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self.reused = 0
        self._room = budget
        self._kept: OrderedDict[Question, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def again(self, listing: PlanListing, size: int) -> PlanPage | None:
        """Return a plan's first page of at most ``size`` files, if it is cached for this or an earlier snapshot."""
        question = _question(listing, size)
        if question is None:
            return None
        listed = _listed(listing.plan.scan)
        with self._lock:
            known = self._kept.get(question)
        page = None if known is None else _page_again(known, listed, listing.plan)
        if known is None or page is None:
            return None
        self.reused += known.listed is not listed
        self._keep(question, _Kept(listed, page))
        return page

    def keep(self, listing: PlanListing, size: int, page: PlanPage) -> None:
        """Cache a plan's first page of at most ``size`` files; its text is not copied."""
        question = _question(listing, size)
        if question is not None and (page.after is None or page.rows >= size):
            self._keep(question, _Kept(_listed(listing.plan.scan), page))

    def _keep(self, question: Question, kept: _Kept) -> None:
        with self._lock:
            if (before := self._kept.pop(question, None)) is not None:
                self._room += before.weight
            self._kept[question] = kept
            self._room -= kept.weight
            while self._room < 0:
                self._room += self._kept.popitem(last=False)[1].weight


def _question(listing: PlanListing, size: int) -> Question | None:
    """Return the cache key: all that decides a page except the snapshot; None for plans that are not cached."""
    plan, given = listing.plan, listing.filter.given
    is_whole = plan.added_in is None and plan.splitting is None and plan.within is None and listing.limit is None
    if not is_whole or not isinstance(plan.scan.reading, IcebergReading):
        return None
    text = given if given is None or isinstance(given, str) else exact(given)
    return plan.view.table.table_id, text, plan.bound, plan.statistics, size


@lru_cache(maxsize=32)
def _listed(scan: ScanIndex) -> _Listed:
    view = scan.view

    def ids(manifests: list[ManifestRecord]) -> Ids:
        return np.array([one.id for one in manifests], np.int64)

    return _Listed(
        ids([part.manifest for part in scan.data]),
        ids([part.manifest for part in scan.deletes]),
        view.schemas,
        view.metadata.specs,
        view.table.rewrites,
    )


def _page_again(known: _Kept, listed: _Listed, plan: Plan) -> PlanPage | None:
    """Return a page of an earlier snapshot as the page of this one; None if they may differ."""
    if (places := _places(known.listed, listed)) is None:
        return None
    new = np.ones(len(listed.data), np.bool_)
    new[places] = False
    if any(_has_files(plan, number) for number in np.flatnonzero(new).tolist()):
        return None
    page, left = known.page, plan.survivors
    after = None if page.after is None else (int(places[int(page.after[0])]), *page.after[1:])
    totals = replace(page.totals, manifests=len(listed.data), manifests_kept=left.manifests, entries=left.entries)
    return replace(page, after=after, totals=totals)


@lru_cache(maxsize=64)
def _places(before: _Listed, now: _Listed) -> Ids | None:
    """Return the positions of an earlier snapshot's data manifests in this one; None if its pages may differ."""
    if before is now:
        return np.arange(len(now.data))
    if (before.schemas, before.specs, before.rewrites) != (now.schemas, now.specs, now.rewrites):
        return None
    if len(now.data) > len(before.data) + MOST_NEW or not np.array_equal(before.deletes, now.deletes):
        return None
    places = np.flatnonzero(np.isin(now.data, before.data))
    return places if np.array_equal(now.data[places], before.data) else None


def _has_files(plan: Plan, number: int) -> bool:
    """Return whether a manifest lists files of a plan; partitions and zones rule out most manifests."""
    return any(True for _ in rows_of(plan.scan, plan.bound, None, Position(number, 0), Position(number + 1, 0)))
