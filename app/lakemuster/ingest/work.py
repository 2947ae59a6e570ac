"""The functions that decoder processes run: they turn bytes of a bucket into manifest headers and segments.

They are module-level, so that they can be pickled for another process or a Spark executor.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro import prepare_decoders
from lakemuster.formats.iceberg import manifests as iceberg
from lakemuster.formats.iceberg import native
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.formats.paimon import manifests as paimon
from lakemuster.index import native as zones_native
from lakemuster.index.segment_files import write_segment
from lakemuster.kernels.loading import kernels_disabled
from lakemuster.metadata.counts import EntryCounts
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.storage.locations import Rewrites, with_scheme
from lakemuster.storage.store import Contents
from lakemuster.wire.iceberg_rest.load_table import load_table_result


@dataclass(frozen=True, slots=True)
class WrittenSegment:
    """A segment written to ``path``, not yet in the segment store.

    Attributes:
        counts: of its entries; None for a manifest of index files.
    """

    path: str
    rows: int
    size: int
    counts: EntryCounts | None = None


def prepare() -> None:
    """Load what decoding needs, this module's imports included, before a process's memory is limited."""
    prepare_decoders()
    native.is_available()
    zones_native.is_available()


def slim(metadata: TableMetadata) -> TableMetadata:
    """Return only the metadata that decoding needs: no snapshots, refs or log, which can be thousands."""
    return replace(metadata, snapshots=(), refs=(), snapshot_log=(), properties={}, extra={})


def pack(metadata: TableMetadata) -> bytes:
    """Pickle :func:`slim`, once for many manifests: of a wide table it takes longer than decoding a small manifest."""
    return pickle.dumps(slim(metadata), pickle.HIGHEST_PROTOCOL)


@lru_cache(4)
def _unpacked(packed: bytes) -> TableMetadata:
    metadata: TableMetadata = pickle.loads(packed)  # noqa: S301 - of ``pack``, by the process that started this one.
    return metadata


def decode_list(contents: Contents, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
    """Decode one manifest list of a branch; Paimon's branches have their own schemas.

    Raises:
        MetadataCorrupt: it violates its format's specification.
        StorageError: the local file cannot be read.
    """
    data = _read(contents)
    if metadata.format == "iceberg":
        return iceberg.parse_manifest_list(data, metadata)
    return paimon.parse_manifest_list(data, metadata, metadata.location, branch=branch)


def describe_inline(
    contents: Contents, location: str, snapshot: Snapshot, metadata: TableMetadata
) -> list[ManifestHeader]:
    """Return the manifest list entry for a manifest that a version 1 snapshot names directly.

    Raises:
        MetadataCorrupt: it is not a manifest.
        StorageError: the local file cannot be read.
    """
    data = _read(contents)
    spec_id = iceberg.own_spec_id(data)
    return [
        ManifestHeader(
            location,
            len(data),
            spec_id=metadata.default_spec_id if spec_id is None else spec_id,
            sequence_number=0,
            min_sequence_number=0,
            added_snapshot_id=snapshot.snapshot_id,
        )
    ]


def decode_manifest(
    contents: Contents, header: ManifestHeader, metadata: bytes, branch: str, path: str
) -> WrittenSegment:
    """Decode one manifest of a table with metadata from :func:`pack`, and write its segment to a local path.

    Raises:
        MetadataCorrupt: it violates its format's specification, or may lack entries that its list counts.
        StorageError: the local file cannot be read.
    """
    table = _parse(_read(contents), header, _unpacked(metadata), branch)
    written = write_segment(table, Path(path))
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
    contents: Contents, header: ManifestHeader, metadata: bytes, branch: str, path: str
) -> WrittenSegment:
    """Like :func:`decode_manifest`, with fastavro and plain Python instead of machine code."""
    with kernels_disabled():
        return decode_manifest(contents, header, metadata, branch, path)


def decode_list_by_reference(contents: Contents, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
    """Like :func:`decode_list`, with fastavro."""
    with kernels_disabled():
        return decode_list(contents, metadata, branch)


def _read(contents: Contents) -> bytes:
    return contents if isinstance(contents, bytes) else contents.read()


def _check_length(data: bytes, header: ManifestHeader) -> None:
    """Refuse a manifest of another length than recorded, unless the list has counts to check its entries against."""
    counts = (header.added_files_count, header.existing_files_count, header.deleted_files_count)
    if header.length not in (None, len(data)) and None in counts:
        raise MetadataCorrupt(
            f"{header.location}: {len(data)} bytes long, its list says {header.length} and has no counts to prove it"
        )


def _parse(data: bytes, header: ManifestHeader, metadata: TableMetadata, branch: str) -> pa.Table:
    if metadata.format == "iceberg":
        _check_length(data, header)
        return iceberg.parse_manifest(data, header, metadata)
    if header.content == "index":
        return paimon.parse_index_manifest(data, metadata, branch=branch)
    return paimon.parse_manifest(data, header, metadata, branch=branch)
