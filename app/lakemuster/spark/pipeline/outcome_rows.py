"""Encode the outcomes that executors return as rows of a DataFrame: one row per manifest.

Values are plain and errors are JSON text, so the driver unpickles nothing from an executor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

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
COLUMNS = "segment string, length bigint, rows bigint, bytes bigint, error string, counts binary"
"""``SCHEMA`` in Spark's DDL."""


def batch_of(outcomes: Iterable[Outcome]) -> pa.RecordBatch:
    """Outcomes as rows of :data:`SCHEMA`."""
    rows: list[dict[str, object]] = [
        {
            "segment": one.manifest.segment,
            "length": one.length,
            "rows": one.rows,
            "bytes": one.bytes,
            "error": None if one.error is None else _text(one.error),
            "counts": one.counts,
        }
        for one in outcomes
    ]
    return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


def outcomes_of(rows: Iterable[Sequence[Any]], manifests: Sequence[Manifest]) -> list[Outcome]:
    """The outcome of each manifest.

    Raises:
        IndexUnavailable: there is not exactly one row per manifest.
    """
    by_segment = {one.segment: one for one in manifests}
    found: dict[str, Outcome] = {}
    for segment, length, count, size, error, counts in rows:
        if segment not in by_segment or segment in found or (error is None and None in (length, count, size)):
            raise IndexUnavailable("Spark's answer is not of the manifests that it was given")
        failure = None if error is None else _error(error)
        counted = None if counts is None else bytes(counts)
        found[segment] = Outcome(by_segment[segment], length, count or 0, size or 0, failure, counted)
    if len(found) != len(by_segment):
        raise IndexUnavailable(f"Spark answered for {len(found)} of {len(by_segment)} manifests")
    return list(found.values())


def _text(error: CatalogError) -> str:
    return json.dumps({"code": error.code, "message": error.message, "context": dict(error.context)}, default=str)


def _error(text: str) -> CatalogError:
    document = json.loads(text)
    kind = _kinds(CatalogError).get(document["code"], CatalogError)
    return kind(document["message"], **document["context"])


def _kinds(of: type[CatalogError]) -> dict[str, type[CatalogError]]:
    found = {of.code: of}
    for kind in of.__subclasses__():
        found |= _kinds(kind)
    return found
