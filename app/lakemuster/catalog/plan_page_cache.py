"""First pages of plans, given again for a later snapshot: a commit that brings them no file costs a look at it alone.

A page is of the files that its snapshot's manifests list, in their order. Of the next snapshot it is the same one, byte
for byte, as long as

* all of its snapshot's data manifests are listed there in the same order, row for row (equal ids of the index), and
  the predicate leaves no file of those that came in between, wherever they stand;
* the delete manifests are the same, since a new delete file may belong to any file;
* schemas, specs and rewrites, which files are shown with, are the same;
* it ended because it was full, or the plan was: elsewhere a page is cut where its bytes are enough, which depends on
  how manifests were read together.

What is said of the whole plan is counted anew from what zones leave of the new snapshot. Only Iceberg's: a file of
Paimon's may be cancelled by any commit.
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
"""Of all pages that are kept."""

MOST_NEW = 64
"""Manifests that came since: of more, the page is made anew."""

_OVERHEAD = 2048
_MANIFEST_BYTES = 8

Question = tuple[object, ...]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Listed:
    """What a snapshot lists, and what its files are shown with.

    Attributes:
        data, deletes: ids of its manifests, in order.
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
        """Bytes, about. Pages of one snapshot share what it lists."""
        return len(self.page.files) + len(self.page.deletes) + _OVERHEAD + _MANIFEST_BYTES * len(self.listed.data)


class PageCache:
    """First pages, the last used ones within a budget of bytes.

    Attributes:
        reused: how many were given again for another snapshot.
    """

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self.reused = 0
        self._room = budget
        self._kept: OrderedDict[Question, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def again(self, listing: PlanListing, size: int) -> PlanPage | None:
        """The first page of a plan, at most ``size`` files, if it was kept, of this snapshot or an earlier one."""
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
        """Keep a plan's first page of at most ``size`` files, whose text stays where it lies."""
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
    """What decides a page but for the snapshot; None for plans of other kinds."""
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
    """A page of an earlier snapshot as that of this one; None when it may be another."""
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
    """Where the data manifests of an earlier snapshot stand in this one; None when pages of it may be others."""
    if before is now:
        return np.arange(len(now.data))
    if (before.schemas, before.specs, before.rewrites) != (now.schemas, now.specs, now.rewrites):
        return None
    if len(now.data) > len(before.data) + MOST_NEW or not np.array_equal(before.deletes, now.deletes):
        return None
    places = np.flatnonzero(np.isin(now.data, before.data))
    return places if np.array_equal(now.data[places], before.data) else None


def _has_files(plan: Plan, number: int) -> bool:
    """Whether a manifest lists files of a plan; most cannot, as far as their partitions and zones tell."""
    return any(True for _ in rows_of(plan.scan, plan.bound, None, Position(number, 0), Position(number + 1, 0)))
