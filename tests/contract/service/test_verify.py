"""``verify`` compares the index of a table with its metadata, and reports and repairs differences."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from sqlalchemy import text

from benchmarks.generate import iceberg_table
from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from lakemuster.index.integer_packing import pack
from lakemuster.index.segment_files import write_segment
from lakemuster.index.snapshots import list_snapshots, snapshot_manifests
from lakemuster.ingest.verification import Verified, describe, verify
from lakemuster.planner.lists import snapshot_lists as lists
from tests.contract.service.backends import catalog, rows, settings
from tests.packing import pack_every

PAIMON, ICEBERG, SMALL = "l.pk_table_with_alter_table.pk_table_with_alter_table", "l.big", "l.small"


@pytest.fixture(params=["sqlite", "postgres"])
def services(
    request: pytest.FixtureRequest, tmp_path: Path, lakes: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    pack_every(monkeypatch, 10, small=25)
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        Database(url).migrate()
    lake = tmp_path / "lake"
    shutil.copytree(lakes / "paimon/parquet/pk_table_with_alter_table.db", lake / "l" / "pk_table_with_alter_table")
    iceberg_table(lake / "l" / "big", files=3000, columns=4, manifests=1, level=1)
    iceberg_table(lake / "l" / "small", files=600, columns=4, manifests=60, level=1)
    with catalog(settings(tmp_path, database_url=url, roots=(str(lake),), max_staleness=3600.0)) as made:
        made.add(ICEBERG, str(lake / "l" / "big"), None, ())
        made.add(SMALL, str(lake / "l" / "small"), None, ())
        made.add(PAIMON, str(lake / "l" / "pk_table_with_alter_table" / "pk_table_with_alter_table"), None, ())
        for name in (ICEBERG, SMALL, PAIMON):
            assert made.refresh(name).quarantined == ()
        yield made


def check(services: Services, name: str, *, repair: bool = False, sample: int | None = None) -> Verified:
    return verify(services.refresher, services.table(name), repair=repair, sample=sample, seed=1)


def told(found: Verified) -> list[tuple[str, str]]:
    return [(one.kind, one.what) for one in found.differences]


def segments_of(services: Services, name: str) -> list[str]:
    with services.index.database.reading() as session:
        record = list_snapshots(session, services.table(name).table_id)[-1]
        return [one.segment for one in snapshot_manifests(session, record.row_id)]


def file_of(services: Services, name: str) -> Path:
    return services.index.segments.workspace.parent / name[:2] / f"{name}.arrow"


def replace(services: Services, name: str, table: pa.Table) -> None:
    path = services.index.segments.workspace / name
    write_segment(table, path)
    services.index.segments.put(name, path)


def test_what_was_indexed_is_what_the_reference_decodes(services: Services) -> None:
    for name in (ICEBERG, SMALL, PAIMON):
        found = check(services, name)
        assert [describe(one) for one in found.differences] == []
        assert found.manifests == len(set(segments_of(services, name))) or name == PAIMON
        assert found.snapshots > 0
        assert found.entries >= len(rows(lists.files(services.index, services.view(name))))
    assert check(services, SMALL).packed > 0
    assert check(services, SMALL, sample=3).manifests == 3


@pytest.mark.parametrize("name", [ICEBERG, PAIMON])
def test_lost_and_damaged_segments_are_distinguished_and_repaired(services: Services, name: str) -> None:
    expected = rows(lists.files(services.index, services.view(name), stats=["*"]))
    segment = segments_of(services, name)[-1]
    path = file_of(services, segment)
    data = path.read_bytes()
    path.unlink()
    assert told(check(services, name)) == [("lost", "the segment store has no such segment")]
    assert not path.exists()
    (one,) = check(services, name, repair=True).differences
    assert (one.kind, one.segment, one.repaired) == ("lost", segment, True)
    assert one.manifest is not None
    assert check(services, name).differences == []
    path.unlink()
    path.write_bytes(data[: len(data) // 2])
    assert [kind for kind, _ in told(check(services, name))] == ["damaged"]
    assert [kind for kind, _ in told(check(services, name, repair=True))] == ["damaged"]
    assert check(services, name).differences == []
    assert rows(lists.files(services.index, services.view(name), stats=["*"])) == expected


def test_a_segment_with_other_values_is_reported_by_column(services: Services) -> None:
    segment = segments_of(services, ICEBERG)[0]
    table = services.index.segments.open(segment).table()
    bound = next(name for name in table.column_names if name.startswith("lower."))
    place = table.schema.get_field_index(bound)
    field = table.schema.field(place)
    changed = table.set_column(place, field, pc.add(table.column(place), 1).cast(field.type))
    changed = changed.drop_columns(["file_format"])
    replace(services, segment, changed)
    words = [what for kind, what in told(check(services, ICEBERG)) if kind == "differs"]
    assert "missing column file_format" in words
    assert f"other values of {bound}" in words
    assert any(word.startswith("other zones of") and bound in word for word in words)
    found = check(services, ICEBERG, repair=True)
    assert all(one.repaired for one in found.differences)
    assert check(services, ICEBERG).differences == []
    replace(services, segment, table.slice(1))
    assert told(check(services, ICEBERG)) == [("differs", "2999 entries instead of 3000")]
    check(services, ICEBERG, repair=True)
    assert check(services, ICEBERG).differences == []


def test_damaged_zones_are_reported(services: Services) -> None:
    segment = segments_of(services, ICEBERG)[0]
    path = file_of(services, segment)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"MZONES1") - 16] ^= 1
    path.unlink()
    path.write_bytes(data)
    assert told(check(services, ICEBERG)) == [("differs", "zones are missing or damaged")]
    check(services, ICEBERG, repair=True)
    assert check(services, ICEBERG).differences == []


def test_packed_segments_are_compared(services: Services) -> None:
    with services.index.database.reading() as session:
        names = list(session.scalars(text("SELECT name FROM segment WHERE length = 0")))
    assert names
    table = services.index.segments.open(names[0]).table()
    replace(services, names[0], pa.concat_tables([table.slice(1), table.slice(0, 1)]))
    (kind, what), *rest = told(check(services, SMALL))
    assert kind == "differs"
    assert what.startswith("packed segment: other values of")
    assert not rest
    file_of(services, names[0]).unlink()
    assert [kind for kind, _ in told(check(services, SMALL, repair=True))] == ["lost"]
    assert check(services, SMALL).differences == []


@pytest.mark.parametrize("name", [SMALL, PAIMON])
def test_membership_and_counts_of_snapshots_are_compared(services: Services, name: str) -> None:
    table_id = services.table(name).table_id
    expected = rows(lists.files(services.index, services.view(name)))
    with services.index.database.session() as session:
        session.execute(
            text("UPDATE manifest SET added_files_count = added_files_count + 1 WHERE table_id = :t"), {"t": table_id}
        )
    found = check(services, name)
    assert any("added_files_count of manifest" in one.what and one.snapshot_id is not None for one in found.differences)
    check(services, name, repair=True)
    assert [describe(one) for one in check(services, name).differences] == []
    assert rows(lists.files(services.index, services.view(name))) == expected


def test_live_entries_of_paimon_are_compared(services: Services) -> None:
    table_id = services.table(PAIMON).table_id
    expected = rows(lists.files(services.index, services.view(PAIMON)))
    with services.index.database.session() as session:
        session.execute(
            text("UPDATE snapshot SET dead = :d WHERE table_id = :t AND dead IS NOT NULL"),
            {"t": table_id, "d": pack(pa.array([0, 1, 2], pa.int64()).to_numpy())},
        )
    assert {what for _, what in told(check(services, PAIMON))} == {"other entries are live in it"}
    assert all(one.repaired for one in check(services, PAIMON, repair=True).differences)
    assert check(services, PAIMON).differences == []
    assert rows(lists.files(services.index, services.view(PAIMON))) == expected


def test_a_lost_segment_that_a_sample_leaves_out_is_reported(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services.index.database.reading() as session:
        newest = list_snapshots(session, services.table(PAIMON).table_id)[-1]
        lost = next(one for one in snapshot_manifests(session, newest.row_id) if one.role == "base")

    class Random:
        """Chooses the newest snapshot, and never the lost segment."""

        def __init__(self, seed: int | None) -> None: ...

        def sample(self, population: list[object], count: int) -> list[object]:
            return [one for one in population if one != lost.segment][-count:]

    monkeypatch.setattr("random.Random", Random)
    file_of(services, lost.segment).unlink()
    with catalog(services.settings) as anew:  # which has not mapped it
        found = check(anew, PAIMON, sample=1)
    assert (found.snapshots, found.manifests) == (1, 1)
    (one,) = found.differences
    assert (one.kind, one.segment, one.manifest) == ("lost", lost.segment, lost.header.location)


def test_a_missing_manifest_is_reported_and_nothing_else_changes(services: Services, tmp_path: Path) -> None:
    folder = tmp_path / "lake" / "l" / "small" / "metadata"
    gone = next(path for path in sorted(folder.glob("*.avro")) if not path.name.startswith("snap-"))
    gone.unlink()
    found = check(services, SMALL, repair=True)
    assert {one.kind for one in found.differences} == {"unreadable"}
    assert any(gone.name in str(one.manifest) for one in found.differences)
    assert rows(lists.files(services.index, services.view(SMALL)))
