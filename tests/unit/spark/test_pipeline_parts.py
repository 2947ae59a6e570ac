"""Parts of a job's manifests, and their outcomes, without Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lakemuster.errors import CatalogError
from lakemuster.ingest.engine import Manifest, Outcome
from lakemuster.ingest.missing import Missing
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from lakemuster.spark.pipeline import spool
from lakemuster.spark.pipeline.outcome_rows import outcomes_of, rows_of


def manifest(number: int, length: int | None) -> Manifest:
    return Manifest(f"{number:064}", f"/lake/{number}", ManifestHeader(f"/lake/{number}", length), "main")


def kinds(of: type[CatalogError]) -> list[type[CatalogError]]:
    return [of, *(deeper for kind in of.__subclasses__() for deeper in kinds(kind))]


def test_every_error_comes_back_as_it_was() -> None:
    manifests = [manifest(number, 1) for number, _ in enumerate(kinds(CatalogError))]
    outcomes = [
        Outcome(one, None, error=kind("a\ud800\x00 word", limit=3))
        for one, kind in zip(manifests, kinds(CatalogError), strict=True)
    ]
    found = outcomes_of(rows_of(outcomes), manifests)
    assert [(type(one.error), str(one.error)) for one in found] == [
        (type(one.error), str(one.error)) for one in outcomes
    ]
    assert [dict(one.error.context) for one in found if one.error] == [{"limit": 3}] * len(found)


@pytest.mark.parametrize("lengths", [[1], [10] * 100, [2**30] * 3, [None, 5, None], [1] * 5000])
def test_parts_hold_every_manifest_once_in_order(lengths: list[int | None], tmp_path: Path) -> None:
    manifests = [manifest(number, length) for number, length in enumerate(lengths)]
    with spool.Spool(tmp_path) as spooled:
        metadata = cast("TableMetadata", SimpleNamespace(format="iceberg"))
        chunks = spooled.add(7, Missing(("/lake",), metadata, manifests))
        parts = list(spool.parts_of(chunks, 16))
        read = [[chunk.missing.manifests for chunk in spool.chunks_of(spooled.packed(part))] for part in parts]
    assert [one for part in read for some in part for one in some] == manifests
    for part in read:
        held = [one for some in part for one in some]
        assert 0 < len(held) <= spool.MANIFESTS_PER_PART
        assert len(held) == 1 or sum(one.header.length or 0 for one in held) <= spool.LARGEST_PART
    assert len(parts) == 1 or len(lengths) > 2
