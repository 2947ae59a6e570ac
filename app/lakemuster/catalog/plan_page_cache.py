"""A cache of plans' first pages, reused for later snapshots: after a commit only its new manifests are planned.

A page lists files of its snapshot's manifests, in their order. For a later snapshot it is the same, byte for byte, if

* the later snapshot lists all of the earlier one's data manifests in the same order, row for row (equal ids of the
  index), and the predicate matches no file of the manifests added in between, wherever they are in the list;
* the delete manifests are the same, since a new delete file may apply to any file;
* schemas, specs and rewrites, which determine how files are written, are the same;
* it ended because it was full, or because the plan ended. Otherwise it was cut at a limit of bytes, and where depends
  on how manifests were read together.

The plan's counts of manifests and entries are computed again for the later snapshot. Plans of formats in which any
commit may cancel a file of an earlier one are not cached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lakemuster.caching import Cache, SeenKeys, cached, nbytes
from lakemuster.catalog.plan_response import PlanListing, PlanPage
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import rows_of
from lakemuster.wire.documents import exact

MOST_NEW = 64
"""Maximum number of new manifests: with more, the page is made again."""

_OVERHEAD = 2048
_MANIFEST_BYTES = 8

CacheKey = tuple[object, ...]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Listed:
    """The manifests of a snapshot, and what determines how its files are written.

    Attributes:
        data, deletes: ids of its data and delete manifests, in order.
    """

    data: Ids
    deletes: Ids
    schemas: tuple[Schema, ...]
    specs: tuple[PartitionSpec, ...]
    rewrites: tuple[tuple[str, str], ...]


class _Entry(NamedTuple):
    listed: _Listed
    page: PlanPage

    @property
    def weight(self) -> int:
        """Approximate size in bytes. Pages of one snapshot share its ``listed``."""
        return len(self.page.files) + len(self.page.deletes) + _OVERHEAD + _MANIFEST_BYTES * len(self.listed.data)


class PageCache:
    """The cached first pages of plans.

    Attributes:
        reused: number of pages that were reused for another snapshot.
    """

    def __init__(self) -> None:
        self.reused = 0
        self._pages: Cache[CacheKey, _Entry] = Cache("plan pages", lambda _, entry: entry.weight)
        self._seen = SeenKeys("plan pages")

    def find(self, listing: PlanListing, size: int) -> PlanPage | None:
        """Return a plan's first page of at most ``size`` files, if it is cached for this or an earlier snapshot."""
        key = _key(listing, size)
        if key is None:
            return None
        listed = _listed(listing.plan.scan)
        known = self._pages.get(key)
        page = None if known is None else _page_again(known, listed, listing.plan)
        if known is None or page is None:
            return None
        self.reused += known.listed is not listed
        self._pages.replace(key, _Entry(listed, page))
        return page

    def put(self, listing: PlanListing, size: int, page: PlanPage) -> None:
        """Cache a plan's first page of at most ``size`` files at the second call for it; its text is not copied."""
        key = _key(listing, size)
        if key is not None and (page.after is None or page.rows >= size) and self._seen.add(key):
            self._pages.replace(key, _Entry(_listed(listing.plan.scan), page))


def _key(listing: PlanListing, size: int) -> CacheKey | None:
    """Return the cache key: all that determines a page except the snapshot; None for plans that are not cached."""
    plan, given = listing.plan, listing.filter.given
    is_whole = plan.added_in is None and plan.splitting is None and plan.within is None and listing.limit is None
    if not is_whole or LIST_RULES.of(plan.view.table).cancels_entries:
        return None
    text = given if given is None or isinstance(given, str) else exact(given)
    table = plan.view.table
    return table.table_id, table.incarnation, text, plan.bound, plan.statistics, size


@cached("plan pages", lambda listed: 1000 + nbytes((listed.data, listed.deletes)), lambda scan: scan.cache_key)
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


def _page_again(known: _Entry, listed: _Listed, plan: Plan) -> PlanPage | None:
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


@cached("plan pages", nbytes)
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
