"""The functions that decoder processes run: they turn bytes from storage into manifest headers and segments.

They are module-level, so that they can be pickled for another process or a Spark executor.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Self, TypeVar

from lakemuster.errors import CatalogError
from lakemuster.formats.avro import prepare_decoders
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.formats.protocol import FormatPort
from lakemuster.formats.registry import format_of
from lakemuster.index.segment_files import flush_segments, write_segment
from lakemuster.kernels.loading import kernels_disabled
from lakemuster.metadata.counts import EntryCounts
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.storage.locations import Rewrites, with_scheme
from lakemuster.storage.store import Contents
from lakemuster.wire.iceberg_rest.load_table import load_table_result

_T = TypeVar("_T")

Task = partial[_T]
"""A call of one of this module's functions."""


@dataclass(frozen=True, slots=True)
class WrittenSegment:
    """A segment written to ``path``, not yet in the segment store.

    Attributes:
        counts: its entry counts; None for a manifest of index files.
    """

    path: str
    rows: int
    size: int
    counts: EntryCounts | None = None


def prepare(formats: Sequence[FormatPort]) -> None:
    """Load everything that decoding needs, including this module's imports, before a process's memory is limited."""
    prepare_decoders()
    for port in formats:
        port.prepare()


def slim(metadata: TableMetadata) -> TableMetadata:
    """Return only the metadata that decoding needs: no snapshots, refs or log, which can be thousands."""
    return replace(metadata, snapshots=(), refs=(), snapshot_log=(), extra={})


@dataclass(frozen=True, slots=True)
class PackedMetadata:
    """The metadata of a table that decoding needs, pickled once for its manifest lists and manifests.

    For a wide table, pickling takes longer than decoding a small manifest.

    Attributes:
        format: the name of the table's format.
        pickled: the format and :func:`slim` metadata. A decoder process needs no registration of the format:
            unpickling imports its class.
    """

    format: str
    pickled: bytes

    @classmethod
    def of(cls, metadata: TableMetadata) -> Self:
        """Pack a table's metadata."""
        contents = format_of(metadata.format), slim(metadata)
        return cls(metadata.format, pickle.dumps(contents, pickle.HIGHEST_PROTOCOL))


@lru_cache(4)
def _unpacked(pickled: bytes) -> tuple[FormatPort, TableMetadata]:
    port, metadata = pickle.loads(pickled)  # noqa: S301 - by the process that started this one.
    return port, metadata


def run_each(tasks: Sequence[Task[_T]]) -> list[_T | CatalogError]:
    """Run tasks one after another; return the result or the CatalogError of each."""
    outcomes: list[_T | CatalogError] = []
    for task in tasks:
        try:
            outcomes.append(task())
        except CatalogError as error:
            outcomes.append(error)
    return outcomes


def run_writing(tasks: Sequence[Task[WrittenSegment]]) -> list[WrittenSegment | CatalogError]:
    """Run tasks that write segments as :func:`run_each` does, then flush the segments to disk together.

    Raises:
        IndexUnavailable: a segment cannot be flushed.
    """
    outcomes = run_each(tasks)
    flush_segments([one.path for one in outcomes if isinstance(one, WrittenSegment)])
    return outcomes


def decode_list(contents: Contents, packed: PackedMetadata, branch: str) -> list[ManifestHeader]:
    """Decode one manifest list of a branch.

    Raises:
        MetadataCorrupt: it violates its format's specification.
        StorageError: the local file cannot be read.
    """
    port, metadata = _unpacked(packed.pickled)
    return port.decode_list(_read(contents), metadata, branch)


def describe_inline(
    contents: Contents, location: str, snapshot: Snapshot, packed: PackedMetadata
) -> list[ManifestHeader]:
    """Return the manifest list entry for a manifest that a snapshot names directly.

    Raises:
        MetadataCorrupt: it is not a manifest.
        StorageError: the local file cannot be read.
    """
    port, metadata = _unpacked(packed.pickled)
    return port.describe_inline(_read(contents), location, snapshot, metadata)


def decode_manifest(
    contents: Contents, header: ManifestHeader, packed: PackedMetadata, branch: str, path: str
) -> WrittenSegment:
    """Decode one manifest, and write its segment to a local path.

    The file is not flushed to disk.

    Raises:
        MetadataCorrupt: it violates its format's specification, or may lack entries that its list counts.
        StorageError: the local file cannot be read.
    """
    port, metadata = _unpacked(packed.pickled)
    table = port.decode_manifest(_read(contents), header, metadata, branch)
    written = write_segment(table, Path(path), flush=False)
    return WrittenSegment(path, written.rows, written.bytes, EntryCounts.of(table))


def load_table_answer(
    file: bytes, location: str, config: Mapping[str, str], refs_only: bool, rewrites: Sequence[tuple[str, str]]
) -> bytes:
    """Return the Iceberg REST ``loadTable`` response for a metadata file, compressed or not.

    Raises:
        MetadataCorrupt: it is not a metadata file.
        LimitExceeded: it is too large when inflated.
    """
    moved = Rewrites(rewrites)
    return load_table_result(
        inflate(file) if is_gzip(file) else file,
        with_scheme(location),
        config,
        refs_only=refs_only,
        rewrite=lambda recorded: with_scheme(moved.apply(recorded)),
    )


def decode_manifest_by_reference(
    contents: Contents, header: ManifestHeader, packed: PackedMetadata, branch: str, path: str
) -> WrittenSegment:
    """Decode a manifest as :func:`decode_manifest` does, with fastavro and plain Python instead of compiled code."""
    with kernels_disabled():
        return decode_manifest(contents, header, packed, branch, path)


def decode_list_by_reference(contents: Contents, packed: PackedMetadata, branch: str) -> list[ManifestHeader]:
    """Decode a manifest list as :func:`decode_list` does, with fastavro."""
    with kernels_disabled():
        return decode_list(contents, packed, branch)


def _read(contents: Contents) -> bytes:
    return contents if isinstance(contents, bytes) else contents.read()
