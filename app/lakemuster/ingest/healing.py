"""Repair lost or damaged segments: segments are derived data, so they are decoded again from their manifests."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from lakemuster.errors import CatalogError, SegmentCorrupt, SegmentMissing
from lakemuster.index.named_leases import hold_named_lease
from lakemuster.index.origins import Origin, forget_segment, last_of_packed, origins_of, snapshots_listing
from lakemuster.index.packed import runs_of, write_run
from lakemuster.index.segments import segment_name
from lakemuster.index.snapshots import snapshot_manifests
from lakemuster.index.tables import load_metadata
from lakemuster.ingest.engine import LocalEngine, Manifest
from lakemuster.ingest.packing import by_spec
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.storage_wait import current, waiting

if TYPE_CHECKING:
    from lakemuster.ingest.refresh import Refresher

LEASE_SECONDS = 60.0
"""Duration of the lease under which one process repairs a segment; others wait that long, then repair it themselves."""

_FIRST_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.02, 0.5

LOG = logging.getLogger("lakemuster.ingest")


class Healer:
    """Repairs segments of any table.

    Args:
        refresher: provides the index, storage and decoders.
    """

    def __init__(self, refresher: Refresher) -> None:
        self._refresher = refresher

    def repair(self, name: str, damage: SegmentCorrupt) -> None:
        """Rebuild a segment in the store. One process repairs it; others that need the same segment wait.

        Raises:
            SegmentCorrupt: the index knows no manifest to rebuild it from.
            CatalogError: its manifest cannot be read; the message names the manifest and the damage of the segment.
            StorageUnavailable: storage does not answer in time; the repair continues.
        """
        totals = self._refresher.totals
        if isinstance(damage, SegmentMissing):
            totals.segments_lost += 1
        else:
            totals.segments_damaged += 1
        with self._refresher.index.database.reading() as session:
            origins = origins_of(session, name)
        work = partial(self._repair, name, damage)
        # Work on storage already has a thread of its bucket.
        if not origins or current() is not None:
            work()
        else:
            origin = origins[0]
            self._refresher.run_on_storage(("segment", name), origin.table, work, _reason(damage, origin))

    def _repair(self, name: str, damage: SegmentCorrupt) -> None:
        deadline = time.monotonic() + LEASE_SECONDS
        pause = _FIRST_POLL_SECONDS
        while True:
            with hold_named_lease(self._refresher.index.database, f"segment {name}", LEASE_SECONDS) as lease:
                if lease is not None or time.monotonic() >= deadline:
                    # Another process may have repaired it since the damage was detected.
                    if self._is_whole(name):
                        return
                    self._make(name, damage)
                    self._refresher.totals.segments_repaired += 1
                    return
            with waiting("another process, which rebuilds the segment,", is_storage=False):
                time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_POLL_SECONDS)

    def _is_whole(self, name: str) -> bool:
        try:
            self._refresher.index.segments.check_segment(name)
        except SegmentCorrupt:
            return False
        return True

    def _make(self, name: str, damage: SegmentCorrupt) -> None:
        with self._refresher.index.database.reading() as session:
            last = last_of_packed(session, name)
            origins = [] if last is not None else origins_of(session, name)
        if last is not None and self._pack(name, last):
            LOG.warning("segment %s of several small manifests was %s: packed again", name, _state(damage))
            return
        failure: CatalogError | None = None
        for origin in origins:
            failure = self._decode(name, origin, damage)
            if failure is None:
                LOG.warning("segment %s of %s was %s: decoded again", name, origin.header.location, _state(damage))
                return
        if failure is not None:
            raise failure
        with self._refresher.index.database.session() as session:
            forget_segment(session, name)
        raise type(damage)(f"{damage.message}, and its manifests are not known: it cannot be rebuilt", segment=name)

    def _decode(self, name: str, origin: Origin, damage: SegmentCorrupt) -> CatalogError | None:
        """Decode a manifest into the store; return the error, or None on success."""
        refresher, table = self._refresher, origin.table
        location = Rewrites(table.rewrites).apply(origin.header.location)
        if segment_name(location, origin.header.length or 0) != name:
            return damage
        with refresher.index.database.reading() as session:
            metadata = load_metadata(session, table.table_id)
        engine = LocalEngine(refresher.pool, refresher.index.segments)
        manifest = Manifest(name, location, origin.header, origin.branch)
        with closing(engine.make_segments(refresher.store_for(table), metadata, [manifest], None)) as made:
            (outcome,) = made
        if (error := outcome.error) is None:
            return None
        return type(error)(
            f"{_reason(damage, origin)}: {error.message}",
            **{**error.context, "segment": name, "table": table.name},
        )

    def _pack(self, name: str, last: str) -> bool:
        """Rebuild a packed segment; return False if no published snapshot lists its manifests, or packing fails."""
        index = self._refresher.index
        with index.database.reading() as session:
            for row_id in snapshots_listing(session, last):
                manifests = [(one.header, one.segment) for one in snapshot_manifests(session, row_id)]
                for segments, rows in by_spec(manifests):
                    run = next((run for run in runs_of(segments, rows) if run.name == name), None)
                    if run is not None:
                        break
                else:
                    continue
                break
            else:
                return False
        return write_run(index, run, segments, rows) is not None


def _reason(damage: SegmentCorrupt, origin: Origin) -> str:
    location = Rewrites(origin.table.rewrites).apply(origin.header.location)
    return f"a segment of the index is {_state(damage)}, and its manifest {location} cannot be read to rebuild it"


def _state(damage: SegmentCorrupt) -> str:
    return "lost" if isinstance(damage, SegmentMissing) else "damaged"
