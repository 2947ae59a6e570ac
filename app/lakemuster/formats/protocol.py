"""The port that each table format implements for the write path, and the values that it exchanges.

A port does no I/O. Where it decides which files to read, it is given an :class:`Objects` or a :class:`Documents`;
``ingest`` implements them over object storage, with limits of memory and time. Everything else is bytes and values in,
values out.

Ports are objects without state, of classes that can be imported by name: they are pickled with the tasks of decoder
processes and Spark executors (see ``formats.registry``).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import MetadataCorrupt
from lakemuster.metadata.snapshot import Format, ManifestHeader, Role, Snapshot, TableMetadata

T = TypeVar("T")

Known = Mapping[tuple[str, int], Snapshot]
"""Snapshots that were read before, by (branch, id)."""


class FileInfo(Protocol):
    """One object or folder that storage lists; ``modified_ms`` is None where storage does not report it."""

    @property
    def location(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def is_folder(self) -> bool: ...  # noqa: D102
    @property
    def modified_ms(self) -> int | None: ...  # noqa: D102


class Objects(Protocol):
    """Object storage, as far as finding a table needs it. The methods raise StorageError."""

    def list(self, location: str) -> Iterable[FileInfo]:
        """List one level below a folder, by name; empty if nothing exists there.

        Raises:
            ListingUnsupported: this storage cannot list folders.
        """
        ...

    def stat(self, location: str) -> FileInfo | None:
        """Return the object or folder at a location; None if nothing exists there."""
        ...

    def read(self, location: str, *, max_bytes: int) -> bytes:
        """Read one object of at most ``max_bytes``."""
        ...


class Documents(Protocol):
    """Metadata documents in object storage, read and parsed under limits. Reading raises StorageError."""

    def read(self, location: str, *, max_bytes: int) -> bytes:
        """Read one document of at most ``max_bytes``."""
        ...

    def read_listed(self, files: Sequence[FileInfo], *, max_bytes: int) -> Iterator[tuple[FileInfo, bytes]]:
        """Read documents concurrently, in any order; documents that were deleted since the listing are left out."""
        ...

    def parse(self, function: Callable[..., T], data: bytes, *arguments: object) -> T:
        """Return ``function(data, *arguments)``; the function must be importable by name.

        Raises:
            DecodeFailed, LimitExceeded: parsing takes too much memory or time, or gives too much.
            CatalogError: raised by the function.
        """
        ...


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a look at a table's location found.

    Attributes:
        metadata_location: where :meth:`FormatPort.load` starts. Iceberg: the metadata file; Paimon: the table's root.
        token: equal for two looks if nothing changed between them; suffixes after ``:`` are keys of
            :attr:`FormatPort.doubts`.
        listings: the contents of the metadata folders, by folder, for formats that list them.
    """

    format: Format
    metadata_location: str
    token: str
    listings: tuple[tuple[str, tuple[FileInfo, ...]], ...] = ()


def token_of(files: Iterable[FileInfo]) -> str:
    """Return a pointer's token: it changes when a file is added, removed or replaced."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.location}|{file.size}|{file.modified_ms}\n".encode())
    return digest.hexdigest()


class Folding(ABC):
    """For formats whose snapshots hold changes: determines which entries of a snapshot's manifests are live.

    Attributes:
        roles: of the manifest lists that make up a snapshot's state, in the order of its lists.
    """

    roles: ClassVar[frozenset[Role]]

    @abstractmethod
    def columns(self, names: Iterable[str]) -> list[str]:
        """Return which of a manifest's columns :meth:`live_rows` needs."""

    @abstractmethod
    def live_rows(self, tables: Sequence[pa.Table]) -> list[NDArray[np.bool_]]:
        """Mark the live entries of decoded manifests, in list order: one mask for each."""

    @abstractmethod
    def expected_records(self, snapshot: Snapshot) -> int | None:
        """Return the number of rows that a snapshot records for its live files; None if it records none."""


class StatisticsFiles(ABC):
    """For formats that store statistics of a snapshot in a separate file."""

    @abstractmethod
    def file_name(self, snapshot: Snapshot) -> str | None:
        """Return the name of a snapshot's file; None if it has none."""

    @abstractmethod
    def location(self, root: str, name: str) -> str:
        """Return the location of a table's statistics file. ``name`` is one path segment."""

    @abstractmethod
    def check(self, data: bytes) -> None:
        """Check that a file can be read.

        Raises:
            MetadataCorrupt: it cannot.
        """


class CompanionRules(ABC):
    """For formats whose tables may also have metadata of another format: that table is their companion.

    Attributes:
        format: of companions.
        option: the table option that enables one, for messages.
    """

    format: ClassVar[Format]
    option: ClassVar[str]

    @abstractmethod
    def location(self, root: str, options: Mapping[str, str]) -> str | None:
        """Return where a table's options place its companion; None if they enable none.

        Raises:
            FormatUnsupported: unknown options, or they do not fit the table's location.
        """

    @abstractmethod
    def find(self, objects: Objects, pointer: Pointer) -> str | None:
        """Return where the companion of a table that is not loaded is; None if it has none or cannot be read."""

    @abstractmethod
    def owner_root(self, location: str) -> str | None:
        """Return the root of the table that a companion at a location would belong to; None for a table's own root."""

    @abstractmethod
    def is_made_of(self, shown: Snapshot, snapshot: Snapshot) -> bool:
        """Return whether a companion's snapshot was made from the table's snapshot of the same id."""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A table whose files are to be distinguished from orphan files.

    Attributes:
        metadata: as of the last look.
        snapshots: all snapshots of that metadata.
        doubts: the suffixes of the token of that look.
        is_pinned: it was registered by a metadata file, and not by its root or at a catalog.
        moved: rewrites a recorded location to where it is now.
        uuids: of all registered tables.
    """

    metadata: TableMetadata
    snapshots: Sequence[Snapshot]
    doubts: frozenset[str]
    is_pinned: bool
    moved: Callable[[str], str]
    uuids: frozenset[str] = frozenset()


class Inventory(ABC):
    """The rules of a format for the files of a table that no manifest names."""

    @abstractmethod
    def documents(self, objects: Objects, table: LookedAt) -> Iterable[tuple[str, str]]:
        """Return (kind, location) of every file of a table that no manifest names: metadata, hints, statistics.

        Raises:
            StorageError: a folder cannot be listed.
        """

    @abstractmethod
    def doubt(self, objects: Objects, table: LookedAt) -> str | None:
        """Return why a table may refer to files that neither its metadata nor its snapshots name; None if it cannot.

        Raises:
            StorageError: a folder cannot be listed, or a file cannot be read.
        """

    @abstractmethod
    def places(self, metadata: TableMetadata) -> Iterable[str]:
        """Return the folders that a table's properties name for its files; they may be outside of its root."""

    @abstractmethod
    def table_of(self, location: str) -> str | None:
        """Return the root of the table that a metadata file belongs to, given its name; None for other files."""


class FormatPort(ABC):
    """The port of one table format.

    Attributes:
        name: as stored in the index and shown by APIs.
        title: as shown to users.
        doubts: why a look may not have found a table's current state, by the suffix of its token.
        has_snapshot_files: each snapshot is a file of its own, read once: :meth:`load` is given the known ones.
        has_snapshot_log: a log, or else the ancestry of the current snapshot, gives what was current at a time. If not,
            a branch is the sequence of its snapshots by id.
        has_exact_lengths: a manifest of another length than its list records is corrupt. If not, the length is an
            estimate, and :meth:`decode_manifest` proves a manifest complete.
        packs_small_manifests: small data manifests share packed segments.
        folding, statistics, companion, inventory: None for formats without them.
    """

    name: ClassVar[Format]
    title: ClassVar[str]
    doubts: ClassVar[Mapping[str, str]] = {}
    has_snapshot_files: ClassVar[bool] = False
    has_snapshot_log: ClassVar[bool] = False
    has_exact_lengths: ClassVar[bool] = True
    packs_small_manifests: ClassVar[bool] = False
    folding: ClassVar[Folding | None] = None
    statistics: ClassVar[StatisticsFiles | None] = None
    companion: ClassVar[CompanionRules | None] = None
    inventory: ClassVar[Inventory | None] = None

    @abstractmethod
    def recognizes(self, objects: Objects, folder: str, children: Mapping[str, FileInfo]) -> bool:
        """Return whether a folder is the root of a table, with few requests: discovery calls this for each folder.

        Args:
            children: the objects and folders in the folder, by name.
        """

    @abstractmethod
    def find(self, objects: Objects, root: str) -> Pointer | None:
        """Find the current metadata of the table at a root; None if there is no table of this format.

        Raises:
            StorageError: the location cannot be listed; ``ObjectMissing`` also if a hint names a missing file.
        """

    def limit(self, pointer: Pointer, newest: int) -> Pointer:
        """Leave out the snapshots after the newest one that a catalog names, for formats with ``has_snapshot_files``.

        Args:
            newest: its id; 0: the table has none.

        Raises:
            ObjectMissing: that snapshot is not among the table's files.
        """
        return pointer

    def root_of(self, metadata_location: str) -> str | None:
        """Return the table's root if a location names a metadata file of this format rather than a root."""
        return None

    @abstractmethod
    def load(self, documents: Documents, pointer: Pointer, known: Known) -> TableMetadata:
        """Read and parse the metadata that a pointer names.

        Args:
            known: see ``has_snapshot_files``.

        Raises:
            MetadataCorrupt, FormatUnsupported: it violates its specification, or its version is not supported.
            LimitExceeded, DecodeFailed: it is too large, or parsing it takes too much memory or time.
            StorageError: it cannot be read.
        """

    def prepare(self) -> None:
        """Load what decoding needs, before a decoder process limits its memory."""
        return

    @abstractmethod
    def decode_list(self, data: bytes, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
        """Decode a manifest list of a branch: one header for each manifest, in the order of the list.

        Args:
            metadata: schemas and specs only.

        Raises:
            MetadataCorrupt: it violates its format's specification.
        """

    def describe_inline(
        self, data: bytes, location: str, snapshot: Snapshot, metadata: TableMetadata
    ) -> list[ManifestHeader]:
        """Return the manifest list entry for a manifest that a snapshot names directly, without a list.

        Raises:
            MetadataCorrupt: it is not a manifest.
        """
        raise MetadataCorrupt(f"{self.title} has no manifests outside of manifest lists", location=location)

    @abstractmethod
    def decode_manifest(self, data: bytes, header: ManifestHeader, metadata: TableMetadata, branch: str) -> pa.Table:
        """Decode a manifest, or an index manifest, to the columns of ``metadata.files``.

        Args:
            metadata: schemas and specs only.

        Raises:
            MetadataCorrupt: it violates its format's specification, or may lack entries that its list counts.
        """
