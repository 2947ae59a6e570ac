"""Tables that workloads share: written and indexed on first use, and stored in a folder."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pyiceberg.table import StaticTable

from benchmarks.generate import iceberg_table
from benchmarks.iceberg_deletes import append_deletes
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.main import build_services
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex, scan_index_of
from lakemuster.planner.view import CURRENT, Selector
from lakemuster.predicates import Bound

NAME = "b.t"


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a table; ``use`` distinguishes tables of the same size."""

    files: int
    columns: int = 20
    manifests: int = 100
    deletes: int = 0
    use: str = ""

    @property
    def name(self) -> str:
        """The name of its folder."""
        deletes = f"-{self.deletes}-deletes" if self.deletes else ""
        return f"{self.files}x{self.columns}-{self.manifests}{deletes}{self.use and '-' + self.use}"


@dataclass(frozen=True)
class Lake:
    """An indexed table.

    Attributes:
        root: the table's root folder.
    """

    shape: Shape
    root: Path
    services: Services

    def bound(self, text: str | None) -> Bound:
        """Bind a filter to the table's columns."""
        return Filter(text).bound(self.services.view(NAME).schemas[0])

    def scan(self, selector: Selector = CURRENT) -> ScanIndex:
        """Return the scan index of a snapshot."""
        return scan_index_of(self.services.index, self.services.view(NAME, selector))

    def plan(self, text: str | None, selector: Selector = CURRENT) -> Plan:
        """Plan the text of a filter."""
        view = self.services.view(NAME, selector)
        return Plan(scan_index_of(self.services.index, view), Filter(text).bound(view.schemas[0]))

    def files(self, text: str | None, selector: Selector = CURRENT) -> int:
        """Plan, and build every file's entry with inherited values, residual and deletes; return the file count."""
        return sum(batch.table.num_rows for batch in self.plan(text, selector).batches())

    def answer(self, text: str | None, selector: Selector = CURRENT) -> set[str]:
        """Return a plan as a set of lines: every data file with its delete files."""
        plan, lines = self.plan(text, selector), set[str]()
        batches = list(plan.batches())
        wanted = np.unique(np.concatenate([batch.deletes for batch in batches] or [np.zeros(0, np.int64)]))
        names: list[tuple[str, int | None]] = []
        for _, entries in plan.delete_rows(wanted):
            offsets: list[int | None] = [None] * entries.num_rows
            if "content_offset" in entries.column_names:
                offsets = entries.column("content_offset").to_pylist()
            names += zip(entries.column("file_path").to_pylist(), offsets, strict=True)
        for batch in batches:
            spans = itertools.pairwise(batch.delete_offsets.tolist())
            places = np.searchsorted(wanted, batch.deletes).tolist()
            for path, (start, end) in zip(batch.table.column("file_path").to_pylist(), spans, strict=True):
                lines.add(line_of(path, [names[place] for place in places[start:end]]))
        return lines

    @property
    def metadata(self) -> Path:
        """The newest metadata file."""
        version = (self.root / "metadata" / "version-hint.text").read_text()
        return self.root / "metadata" / f"v{version}.metadata.json"

    def pyiceberg(self) -> StaticTable:
        """Load the table with PyIceberg."""
        return StaticTable.from_metadata(str(self.metadata))

    def snapshots(self) -> Sequence[int]:
        """Return the ids of the snapshots, oldest first."""
        return [record.snapshot.snapshot_id for record in self.services.snapshots(NAME)[1]]


def line_of(path: str, deletes: Iterable[tuple[str, int | None]]) -> str:
    """Return a line for a planned file and its delete files; deletion vectors have their offset."""
    names = sorted(name if offset is None else f"{name}#{offset}" for name, offset in deletes)
    return "\t".join([path, *names])


@contextlib.contextmanager
def unchanged(root: Path) -> Iterator[None]:
    """Undo commits to a table on exit, so that the next run finds the same table."""
    folder, hint = root / "metadata", root / "metadata" / "version-hint.text"
    before, version = set(folder.iterdir()), hint.read_text()
    try:
        yield
    finally:
        hint.write_text(version)
        for path in set(folder.iterdir()) - before:
            path.unlink()


@dataclass(frozen=True, slots=True)
class Lakes:
    """A folder of tables and their indexes.

    Attributes:
        level: the deflate level of manifests.
        processes: the number of processes that write manifests.
    """

    folder: Path
    level: int = 1
    processes: int = 1
    _open: dict[Shape, Lake] = field(default_factory=dict)

    def lake(self, shape: Shape) -> Lake:
        """Return the table, written and indexed if missing."""
        if shape not in self._open:
            root = self.folder / "lake" / shape.name
            if not (root / "done").exists():
                self._make(root, shape)
            self._open[shape] = Lake(shape, root, self._services(root))
        return self._open[shape]

    def index_of(self, root: Path) -> Path:
        """Return the folder of a table's index."""
        return self.folder / "index" / root.name

    def close(self) -> None:
        """Close the services of all tables."""
        for lake in self._open.values():
            lake.services.close()
        self._open.clear()

    def _make(self, root: Path, shape: Shape) -> None:
        iceberg_table(
            root,
            files=shape.files,
            columns=shape.columns,
            manifests=shape.manifests,
            level=self.level,
            processes=self.processes,
        )
        if shape.deletes:
            append_deletes(root, "positions", shape.deletes)
            append_deletes(root, "vectors", shape.deletes // 2)
            append_deletes(root, "equality", shape.deletes // 50)
        (root / "done").touch()

    def _services(self, root: Path) -> Services:
        folder = self.index_of(root)
        folder.mkdir(parents=True, exist_ok=True)
        services = build_services(
            Settings(
                database_url=f"sqlite:///{folder}/index.db",
                segments_url=f"{folder}/segments",
                cache_dir=f"{folder}/cache",
                max_staleness=3600.0,
                roots=(str(root.parent),),
            )
        )
        if not services.tables():
            services.add(NAME, str(root), None, (), operator=True)
        services.refresh(NAME)
        return services
