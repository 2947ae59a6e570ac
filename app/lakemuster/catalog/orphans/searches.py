"""Search for orphan files: list the objects below a location, then read the tables' references, and compare them.

The references are read after the listing, from refreshed tables, so that a file that was committed in between is
referenced. A file that is not committed yet is protected only by the minimum age: it is reported if its writer takes
longer than that to commit it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.catalog.orphans.inventories import open_inventory
from lakemuster.catalog.orphans.known_files import KnownFiles
from lakemuster.catalog.orphans.listings import Listing, StoreListing
from lakemuster.catalog.orphans.parameters import ORPHANS, OrphanReport, OrphanSearch, Sums
from lakemuster.catalog.orphans.spools import SPOOLED, Spool
from lakemuster.catalog.references import References, Refusal, references_below, refusal_error
from lakemuster.catalog.services import Services
from lakemuster.errors import ReferencesUnknown
from lakemuster.formats.table_signs import TableSigns, unregistered
from lakemuster.metadata.file_kinds import kind_of
from lakemuster.storage.backend import ListedPage
from lakemuster.storage.local_walk import forget_real_folders, real_path
from lakemuster.storage.locations import LOCAL, Location, with_scheme
from lakemuster.storage.reference_keys import FileKeys, ReferenceKeys
from lakemuster.storage.spelling import Keys, comparable, keys_of, local_path

Progress = Callable[[int], None]
"""Called with the number of objects listed so far."""


@dataclass(frozen=True, slots=True)
class FoundOrphans:
    """The report, and a Parquet file with the orphans, which is deleted when the search ends."""

    report: OrphanReport
    path: Path

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the orphans in the shape of ``ORPHANS``."""
        yield from pq.ParquetFile(self.path).iter_batches()

    def save(self, path: Path) -> None:
        """Write the orphans to a Parquet file, which replaces ``path`` atomically."""
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with pq.ParquetWriter(part, ORPHANS) as writer:
                for batch in self.batches():
                    writer.write_batch(batch)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def orphans_of(services: Services, search: OrphanSearch, progress: Progress = lambda _: None) -> Iterator[FoundOrphans]:
    """Search for the orphans below a location. For operators: every location is allowed, and waits have no timeout.

    Raises:
        ReferencesUnknown: not every reference is known, or a folder looks like a table that is not registered.
        ObjectMissing: there is nothing at the location.
        StorageError: a listing failed; there is no partial result.
    """
    with tempfile.TemporaryDirectory(prefix="lakemuster-orphans-") as folder:
        yield _Search(services, search, Path(folder)).run(progress)


class _Search:
    def __init__(self, services: Services, search: OrphanSearch, folder: Path) -> None:
        self._services, self._parameters, self._folder = services, search, folder
        self._place = Location.parse(search.location)
        self._is_local = self._place.scheme == LOCAL
        self._root = os.path.realpath(local_path(search.location)) if self._is_local else search.location
        forget_real_folders()

    def run(self, progress: Progress) -> FoundOrphans:
        search = self._parameters
        listing = self._listing()
        report = OrphanReport(search.location, listing.now_ms(), listing.clock, search.older_than_ms)
        spool, signs, links = Spool(self._folder / "listed.arrow"), TableSigns(), list[str]()
        for page in listing.pages():
            spool.add(self._counted(page, report))
            signs.look_at(one.name for one in page.entries)
            links += page.links
            progress(report.listed.files)
        references = references_below(self._services, search.location, index=search.index, is_operator=True)
        assert isinstance(references, References), "an operator waits without limits"
        report.tables = tuple(dict.fromkeys(one.state.table.name for one in references.tables))
        known, keys = KnownFiles(self._folder), ReferenceKeys(self._form_of)
        try:
            for batch in references.batches():
                known.add(keys.keys(batch))
        except ValueError as cause:
            raise ReferencesUnknown("a table names files by relative locations, which need a rewrite") from cause
        report.references = known.count
        known.add(self._linked(links))
        refusals = unregistered(signs.found, keys.metadata_folders, lambda folder: comparable(self._root + folder))
        if refusals:
            found = [Refusal(with_scheme(search.location + table), reason) for table, reason in refusals]
            raise refusal_error(search.location, found)
        files = FileKeys(self._root, comparable, keys.roots)
        path = self._folder / "orphans.parquet"
        with pq.ParquetWriter(path, ORPHANS) as writer:
            for batch in spool.batches():
                writer.write_batch(self._orphans(batch, files, known, report))
        return FoundOrphans(report, path)

    def _listing(self) -> Listing:
        store = self._services.store.allowing(self._parameters.location)
        if self._parameters.inventory is not None:
            return open_inventory(store, self._parameters.inventory, self._place)
        return StoreListing(store, self._parameters.location)

    def _counted(self, page: ListedPage, report: OrphanReport) -> pa.RecordBatch:
        """Count objects, and return those that are old enough to be orphans."""
        until = report.now_ms - report.older_than_ms
        report.links += len(page.links)
        report.unnamed += page.unnamed
        report.listed.add(len(page.entries), sum(one.size for one in page.entries))
        old = [one for one in page.entries if one.modified_ms is not None and one.modified_ms < until]
        undated = [one for one in page.entries if one.modified_ms is None]
        old_bytes, undated_bytes = (sum(one.size for one in some) for some in (old, undated))
        report.undated.add(len(undated), undated_bytes)
        recent = len(page.entries) - len(old) - len(undated)
        report.recent.add(recent, sum(one.size for one in page.entries) - old_bytes - undated_bytes)
        columns = [[one.name for one in old], [one.size for one in old], [one.modified_ms for one in old]]
        arrays = [pa.array(column, of.type) for column, of in zip(columns, SPOOLED, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=SPOOLED)

    def _form_of(self, location: str) -> str:
        if self._is_local and (path := local_path(location)).startswith("/"):
            return comparable(real_path(path, self._root))
        return comparable(location)

    def _linked(self, links: Sequence[str]) -> Keys:
        """Return the keys of the files that links point to: tables may refer to them through the links."""
        targets = (os.path.realpath(f"{self._root}/{link}") for link in links)
        return keys_of([comparable(target) for target in targets if os.path.isfile(target)])

    def _orphans(
        self, batch: pa.RecordBatch, files: FileKeys, known: KnownFiles, report: OrphanReport
    ) -> pa.RecordBatch:
        names: list[str] = batch.column("name").to_pylist()
        keys, rows = files.keys(names)
        is_orphan = np.ones(len(names), np.bool_)
        is_orphan[np.array(rows, np.int64)[known.hold(keys)]] = False
        gone = batch.filter(pa.array(is_orphan))
        paths = [name for name, orphan in zip(names, is_orphan.tolist(), strict=True) if orphan]
        base = with_scheme(self._place.text if not self._is_local else self._parameters.location).rstrip("/")
        kinds = [kind_of(path) for path in paths]
        folders = [self._summed(path) for path in paths]
        sizes = np.asarray(gone.column("size"))
        for kind, folder, size in zip(kinds, folders, sizes.tolist(), strict=True):
            report.orphans.add(1, size)
            report.kinds.setdefault(kind, Sums()).add(1, size)
            report.folders.setdefault(folder, Sums()).add(1, size)
        columns = [
            pa.array([f"{base}/{path}" for path in paths], pa.string()),
            gone.column("size"),
            gone.column("modified_ms").cast(pa.timestamp("ms", "UTC")),
            pa.array(kinds, pa.string()),
            pa.array(folders, pa.string()),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=ORPHANS)

    def _summed(self, path: str) -> str:
        """Return the folder by which an orphan is grouped, as a path below the location."""
        return "/".join(path.split("/")[:-1][: self._parameters.depth])
