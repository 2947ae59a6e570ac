"""Encode the outcomes of a part, which executors hand to the driver, as an Arrow stream: one row per manifest.

Values are plain and errors are JSON text, so the driver unpickles nothing from an executor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from lakemuster.errors import CatalogError, IndexUnavailable
from lakemuster.ingest.engine import Manifest, Outcome

SCHEMA = pa.schema(
    [
        pa.field("segment", pa.string()),
        pa.field("length", pa.int64()),
        pa.field("rows", pa.int64()),
        pa.field("bytes", pa.int64()),
        pa.field("error", pa.string()),
        pa.field("counts", pa.binary()),
    ]
)


def rows_of(outcomes: Iterable[Outcome]) -> bytes:
    """Encode outcomes as a stream of :data:`SCHEMA`."""
    rows: list[dict[str, object]] = [
        {
            "segment": one.manifest.segment,
            "length": one.length,
            "rows": one.rows,
            "bytes": one.bytes,
            "error": None if one.error is None else error_text(one.error),
            "counts": one.counts,
        }
        for one in outcomes
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        stream.write_batch(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def outcomes_of(rows: bytes, manifests: Sequence[Manifest]) -> list[Outcome]:
    """Return the outcome of each manifest.

    Args:
        manifests: in the order of the rows.

    Raises:
        IndexUnavailable: there is not exactly one row per manifest.
    """
    found = _table(rows).to_pylist()
    if len(found) != len(manifests):
        raise IndexUnavailable(f"Spark answered for {len(found)} of {len(manifests)} manifests")
    return [_outcome(one, **row) for one, row in zip(manifests, found, strict=True)]


def _outcome(
    manifest: Manifest,
    segment: str,
    length: int | None,
    rows: int | None,
    bytes: int | None,
    error: str | None,
    counts: bytes | None,
) -> Outcome:
    if segment != manifest.segment or (error is None and None in (length, rows, bytes)):
        raise IndexUnavailable("Spark's answer is not of the manifests that it was given")
    return Outcome(manifest, length, rows or 0, bytes or 0, None if error is None else error_of(error), counts)


def _table(rows: bytes) -> pa.Table:
    try:
        table = pa.ipc.open_stream(rows).read_all()
        table.validate(full=True)
    except pa.ArrowException as cause:
        raise IndexUnavailable("Spark's answer cannot be read") from cause
    if table.schema != SCHEMA:
        raise IndexUnavailable("Spark's answer has other columns")
    return table


def error_text(error: CatalogError) -> str:
    """Encode an error as JSON text."""
    return json.dumps({"code": error.code, "message": error.message, "context": dict(error.context)}, default=str)


def error_of(text: str) -> CatalogError:
    """Decode an error from its JSON text."""
    document = json.loads(text)
    kind = _kinds(CatalogError).get(document["code"], CatalogError)
    return kind(document["message"], **document["context"])


def _kinds(of: type[CatalogError]) -> dict[str, type[CatalogError]]:
    found = {of.code: of}
    for kind in of.__subclasses__():
        found |= _kinds(kind)
    return found
