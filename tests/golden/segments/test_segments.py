"""The decoders produce the segments of an earlier release, which DataFusion decoded.

``datafusion-NAME.arrow`` is the segment of manifest NAME of a real table, by decoder version 2. Later versions differ
in bounds of UUIDs and of ORC files, in inverted and in padded bounds, which these tables do not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from lakemuster.catalog.services import Services
from lakemuster.index.segment_files import Segment, segment_name
from lakemuster.index.snapshots import list_snapshots, snapshot_manifests
from lakemuster.ingest import engine, work
from tests.contract.service.backends import catalog, settings

EARLIER_VERSION = 2
HERE = Path(__file__).parent
STORED = {path.name.removeprefix("datafusion-").removesuffix(".arrow"): path for path in HERE.glob("*.arrow")}
DECODERS = {"kernel": work.decode_manifest, "fastavro": work.decode_manifest_by_reference}
TABLES = (
    "iceberg/equality_deletes/warehouse/mydb/mytable",
    "iceberg/null_stats/default/test_nulls",
    "paimon/parquet/pk_table_with_alter_table.db/pk_table_with_alter_table",
)


@contextmanager
def indexed(lakes: Path, folder: Path) -> Iterator[Services]:
    """Yield services over the newly indexed tables; one table lacks manifest lists."""
    rewrites = (("data/persistent", str(lakes / "iceberg")),)
    with catalog(settings(folder, roots=(str(lakes),))) as services:
        for number, table in enumerate(TABLES):
            services.add(f"real.t{number}", str(lakes / table), None, rewrites)
            services.refresh(f"real.t{number}")
        yield services


def segments(services: Services) -> dict[str, Segment]:
    """Return the segments of all manifests, by the manifests' file names."""
    found = {}
    with services.index.database.reading() as session:
        for number in range(len(TABLES)):
            records = list_snapshots(session, services.table(f"real.t{number}").table_id)
            for record in (record for record in records if record.state == "published"):
                for one in snapshot_manifests(session, record.row_id):
                    found[one.header.location.rpartition("/")[2]] = services.index.segments.open(one.segment)
    return found


def test_there_are_segments_of_both_formats() -> None:
    assert len([name for name in STORED if name.endswith(".avro")]) >= 2
    assert len([name for name in STORED if not name.endswith(".avro")]) >= 2


@pytest.mark.parametrize("decode", DECODERS.values(), ids=DECODERS)
def test_segments_of_earlier_releases_are_what_is_decoded_now(lakes, tmp_path, decode) -> None:
    with mock.patch.object(engine, "decode_manifest", decode), indexed(lakes, tmp_path) as services:
        found = segments(services)
        for name, path in STORED.items():
            stored = Segment(name, path)
            assert stored.decoder_version == EARLIER_VERSION
            assert found[name].table().equals(stored.table(), check_metadata=True), name


def test_segments_of_earlier_releases_are_found_by_their_names() -> None:
    name = segment_name("s3://lake/shop/orders/metadata/10f6aa49-m0.avro", 7075, EARLIER_VERSION)
    assert name == "196c4c98507afba44a49856e6bd751a98814a7480ae8703f0862b488c8fb986a"
