"""Searches in random lakes find all orphans and no file in use; each refusal names its cause."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lakemuster.catalog.orphans import searches
from lakemuster.catalog.orphans.parameters import OrphanReport, OrphanSearch
from lakemuster.catalog.orphans.searches import orphans_of
from lakemuster.catalog.references import references_below
from lakemuster.catalog.services import Services
from lakemuster.errors import ObjectMissing, ReferencesUnknown, RequestInvalid, StorageDenied
from lakemuster.storage import local_walk
from tests.contract.service.backends import catalog, settings
from tests.contract.service.orphan_lakes import DAY, OLD, Iceberg, Lake, Paimon
from tests.contract.service.planted_orphans import PLANTED

SEEDS = int(os.environ.get("MUSTER_ORPHAN_LAKES", "24"))
LAKES, AT_ONCE = 1000, 100
FOR_PLANTED = 14


@dataclass
class Registered:
    """A lake whose tables are registered."""

    lake: Lake
    services: Services
    now: float

    @classmethod
    def of(cls, services: Services, folder: Path, seed: int) -> Registered:
        """Make a lake, plant orphans in it, and register its tables."""
        lake, now = Lake(folder / f"lake{seed}", seed), time.time()
        lake.settle(now)
        lake.plant(now)
        for name, table in lake.tables.items():
            services.add(f"lake{seed}.{name}", table.url, None, (), operator=True)
        return cls(lake, services, now)

    def difference(self) -> tuple[list[str], list[str]]:
        """Return the reported files that are not orphans, and the orphans that are not reported."""
        found, wanted = found_in(self.services, str(self.lake.root)), self.lake.orphans(self.now)
        return sorted(found - wanted), sorted(wanted - found)

    def forget(self) -> None:
        """Unregister the tables, and remove the lake."""
        for name in self.lake.tables:
            self.services.remove(f"{self.lake.root.name}.{name}")
        self.lake.remove()


def is_admitted(path: str) -> bool:
    """Return whether a table may refer to a file by this name."""
    return path.isprintable() and "%" not in path and "::" not in path


def searched(services: Services, location: str, **more: Any) -> tuple[set[str], OrphanReport]:
    with orphans_of(services, OrphanSearch(location, **more)) as found:
        paths = [path for batch in found.batches() for path in batch.column("file_path").to_pylist()]
        assert len(set(paths)) == len(paths) == found.report.orphans.files
        return {path.removeprefix("file://") for path in paths}, found.report


def found_in(services: Services, location: str, **more: Any) -> set[str]:
    return searched(services, location, **more)[0]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("orphans"))) as made:
        yield made


@pytest.fixture(scope="module")
def several(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Registered]:
    folder = tmp_path_factory.mktemp("lakes")
    return [Registered.of(services, folder, 5000 + seed) for seed in range(FOR_PLANTED)]


def check(services: Services, folder: Path, seeds: Sequence[int]) -> None:
    planted = left = 0
    for seed in seeds:
        one = Registered.of(services, folder, seed)
        assert one.difference() == ([], []), seed
        orphans = one.lake.orphans(one.now)
        assert one.lake.planted <= orphans
        planted += len(one.lake.planted)
        left += len(orphans - one.lake.planted)
        one.forget()
    assert planted > 4 * len(seeds)
    assert left > len(seeds) / 2  # files that expiries left behind


def test_all_orphans_of_seeded_lakes_are_found_and_nothing_that_is_referenced(
    services: Services, tmp_path: Path
) -> None:
    check(services, tmp_path, range(SEEDS))


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("first", range(10_000, 10_000 + LAKES, AT_ONCE))
def test_the_same_of_a_thousand_lakes(services: Services, tmp_path: Path, first: int) -> None:
    check(services, tmp_path, range(first, first + AT_ONCE))


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_caught(several: Sequence[Registered], bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[bug](monkeypatch)
    for one in several:
        try:
            if one.difference() != ([], []):
                return
        except ReferencesUnknown:
            return
    pytest.fail("no lake reveals the bug")


def test_without_a_bug_the_same_lakes_are_right(several: Sequence[Registered]) -> None:
    assert [one.difference() for one in several] == [([], [])] * len(several)


def check_with_commits(services: Services, folder: Path, seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check searches with a commit between listing files and reading references, which also adopts former orphans."""
    adopted = 0
    for seed in seeds:
        one = Registered.of(services, folder, seed)
        lake = one.lake

        def commits(*given: Any, lake: Lake = lake, **named: Any) -> Any:
            for path in sorted(lake.planted)[:3]:
                table = lake.random.choice(list(lake.tables.values()))
                if isinstance(table, Iceberg) and is_admitted(path):
                    table.adopt(path)
            for _ in range(4):
                lake.step()
            return references_below(*given, **named)

        monkeypatch.setattr(searches, "references_below", commits)
        before = lake.planted
        found = found_in(services, str(lake.root))
        monkeypatch.setattr(searches, "references_below", references_below)
        known = lake.references()
        assert found & known == set(), seed
        assert before - known <= found, seed
        adopted += len(before & known)
        one.forget()
    assert adopted > len(seeds) / 3


def test_files_that_commits_take_in_use_after_the_listing_are_no_orphans(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_with_commits(services, tmp_path, range(300, 312), monkeypatch)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("first", range(20_000, 20_000 + LAKES, AT_ONCE))
def test_the_same_of_a_thousand_lakes_with_commits(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    check_with_commits(services, tmp_path, range(first, first + AT_ONCE), monkeypatch)


def test_a_report_counts_what_it_lists(several: Sequence[Registered], tmp_path: Path) -> None:
    one = several[0]
    root = str(one.lake.root)
    with orphans_of(one.services, OrphanSearch(root, depth=1)) as found:
        report = found.report
        found.save(tmp_path / "orphans.parquet")
    rows = pq.read_table(tmp_path / "orphans.parquet").to_pylist()
    assert [path.name for path in tmp_path.iterdir()] == ["orphans.parquet"]
    files = one.lake.files()
    assert report.listed.files == len(files)
    assert report.listed.bytes == sum(os.stat(path).st_size for path in files)
    young = [path for path in files if os.stat(path).st_mtime >= one.now - 3 * DAY]
    assert (report.recent.files, report.undated.files) == (len(young), 0)
    assert (report.orphans.files, report.orphans.bytes) == (len(rows), sum(row["file_size_in_bytes"] for row in rows))
    for name, sums in (("kind", report.kinds), ("folder", report.folders)):
        for value, own in sums.items():
            sizes = [row["file_size_in_bytes"] for row in rows if row[name] == value]
            assert (own.files, own.bytes) == (len(sizes), sum(sizes))
    for row in rows:
        path = row["file_path"].removeprefix("file://")
        assert row["modified_at"].timestamp() == pytest.approx(os.stat(path).st_mtime, abs=0.01)
        assert row["folder"] == os.path.relpath(path, root).split("/")[0]
    assert set(report.tables) == {f"{one.lake.root.name}.{name}" for name in one.lake.tables}


def refusals(services: Services, location: str, **more: Any) -> dict[str, str]:
    with pytest.raises(ReferencesUnknown) as refused:
        found_in(services, location, **more)
    listed: Any = refused.value.context["refused"]
    assert all(one["name"] in str(refused.value) for one in listed[:3])
    return {one["name"]: one["reason"] for one in listed}


@pytest.fixture
def iceberg(services: Services, tmp_path: Path) -> Iterator[Registered]:
    yield from of_kind(services, tmp_path, Iceberg)


@pytest.fixture
def paimon(services: Services, tmp_path: Path) -> Iterator[Registered]:
    yield from of_kind(services, tmp_path, Paimon)


def of_kind(services: Services, folder: Path, kind: type) -> Iterator[Registered]:
    """Yield a lake whose first table is of a format."""
    number = 700
    while True:
        one = Registered.of(services, folder, number)
        if isinstance(one.lake.tables["t0"], kind):
            break
        one.forget()
        number += 1
    yield one
    one.forget()


def test_a_table_that_is_not_registered_is_refused_by_its_folder(iceberg: Registered) -> None:
    lake, services = iceberg.lake, iceberg.services
    name = f"{lake.root.name}.t0"
    services.remove(name)
    told = refusals(services, str(lake.root))
    assert told == {f"file://{lake.tables['t0'].url}": "it looks like an Iceberg table that is not registered"}
    services.add(name, lake.tables["t0"].url, None, (), operator=True)
    assert iceberg.difference() == ([], [])


def test_an_unregistered_paimon_table_is_refused(paimon: Registered) -> None:
    lake = paimon.lake
    paimon.services.remove(f"{lake.root.name}.t0")
    told = refusals(paimon.services, str(lake.root))
    assert told == {f"file://{lake.tables['t0'].url}": "it looks like a Paimon table that is not registered"}
    paimon.services.add(f"{lake.root.name}.t0", lake.tables["t0"].url, None, (), operator=True)


@pytest.mark.parametrize(("file", "title"), [("_delta_log/0.json", "a Delta Lake"), (".hoodie/x", "a Hudi")])
def test_tables_of_unknown_formats_are_refused(iceberg: Registered, file: str, title: str) -> None:
    path = iceberg.lake.root / "other" / file
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    told = refusals(iceberg.services, str(iceberg.lake.root))
    assert told == {f"file://{iceberg.lake.root}/other": f"it looks like {title} table, whose files cannot be told"}


def test_snapshots_that_are_not_indexed_are_refused_and_indexed_on_request(tmp_path: Path) -> None:
    with catalog(settings(tmp_path, history=0)) as services:
        seed = next(seed for seed in range(100) if len(Lake(tmp_path / f"try{seed}", seed).tables) == 2)
        one = Registered.of(services, tmp_path, seed)
        told = refusals(services, str(one.lake.root))
        assert told
        assert all(reason.endswith("snapshots are not indexed (--index)") for reason in told.values())
        assert found_in(services, str(one.lake.root), index=True) == one.lake.orphans(one.now)
        assert one.difference() == ([], [])


def test_a_quarantined_table_is_refused(iceberg: Registered) -> None:
    table = iceberg.lake.tables["t0"]
    table.append()
    manifest = next(Path(table.url, "metadata").glob("snap-*.avro"), None)
    newest = max(Path(table.url, "metadata").glob("snap-*.avro"), key=lambda path: path.stat().st_mtime)
    assert manifest is not None
    newest.write_bytes(newest.read_bytes()[:-20])
    (reason,) = refusals(iceberg.services, str(iceberg.lake.root)).values()
    assert "cannot be read" in reason


def test_a_table_that_cannot_be_looked_at_is_refused(iceberg: Registered) -> None:
    table = iceberg.lake.tables["t0"]
    Path(table.url, "metadata/version-hint.text").write_text("99")
    told = refusals(iceberg.services, str(iceberg.lake.root))
    assert list(told) == [f"{iceberg.lake.root.name}.t0"]
    assert "99" in told[f"{iceberg.lake.root.name}.t0"]


def test_a_tag_of_another_snapshot_than_the_one_of_its_id_is_refused(paimon: Registered) -> None:
    table = paimon.lake.tables["t0"]
    assert isinstance(table, Paimon)
    snapshot = table._snapshot(table._number) | {"deltaManifestList": "manifest-list-of-before"}
    table.bucket.put(f"{table.prefix}/tag/tag-odd", json.dumps(snapshot).encode())
    told = refusals(paimon.services, str(paimon.lake.root))
    assert "names manifest-list-of-before" in told[f"{paimon.lake.root.name}.t0"]


def test_a_table_registered_by_an_older_metadata_file_is_refused(iceberg: Registered) -> None:
    table, services, name = iceberg.lake.tables["t0"], iceberg.services, f"{iceberg.lake.root.name}.t0"
    assert isinstance(table, Iceberg)
    table.append()
    services.remove(name)
    services.add(name, f"{table.url}/metadata/v{table._version - 1}.metadata.json", None, (), operator=True)
    told = refusals(services, str(iceberg.lake.root))
    assert f"v{table._version}.metadata.json beside it may be newer" in told[name]
    services.remove(name)
    services.add(name, f"{table.url}/metadata/v{table._version}.metadata.json", None, (), operator=True)
    assert str(iceberg.lake.root) not in refusals_or_none(services, str(iceberg.lake.root))


def refusals_or_none(services: Services, location: str) -> str:
    try:
        found_in(services, location)
    except ReferencesUnknown as error:
        return str(error)
    return ""


def test_metadata_of_another_table_beside_its_own_is_refused(iceberg: Registered) -> None:
    folder = Path(iceberg.lake.tables["t0"].url, "metadata")
    newest = max(folder.glob("v*.metadata.json"), key=lambda path: int(path.name[1:].split(".")[0]))
    document = json.loads(newest.read_bytes()) | {"table-uuid": "11111111-2222-3333-4444-555555555555"}
    (folder / "00007-abc.metadata.json").write_text(json.dumps(document))
    (reason,) = refusals(iceberg.services, str(iceberg.lake.root)).values()
    assert "of another table, which is not registered (uuid 11111111" in reason


def test_a_table_elsewhere_that_has_files_there_counts(services: Services, tmp_path: Path) -> None:
    """Check that files referenced by a table below another root are not orphans."""
    one = Registered.of(services, tmp_path, 900)
    other = Lake(tmp_path / "away", 901)
    table = next(table for table in other.tables.values() if isinstance(table, Iceberg))
    services.add("away.t", table.url, None, (), operator=True)
    path = next(
        path for path in sorted(one.lake.planted) if path.isprintable() and "%" not in path and "::" not in path
    )
    assert path in found_in(services, str(one.lake.root))
    table.adopt(path)
    services.refresh("away.t")
    found, report = searched(services, str(one.lake.root))
    assert path not in found
    assert "away.t" in report.tables
    services.remove("away.t")
    one.forget()


def test_a_listing_that_fails_is_an_error(iceberg: Registered, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(iceberg.lake.root)
    right = local_walk._children

    def fails(folder: str, *, is_first: bool) -> Iterator[Any]:
        yield from right(folder, is_first=is_first)
        if folder.endswith("metadata/"):
            raise StorageDenied("access denied")

    monkeypatch.setattr(local_walk, "_children", fails)
    with pytest.raises(StorageDenied):
        found_in(iceberg.services, root)
    monkeypatch.undo()
    with pytest.raises(ObjectMissing):
        found_in(iceberg.services, f"{root}/nothing")


def test_links_are_no_orphans_and_what_they_lead_to_is_none(iceberg: Registered, tmp_path: Path) -> None:
    lake = iceberg.lake
    target = next(iter(sorted(path for path in lake.planted if path.isprintable())))
    (lake.root / "link").symlink_to(target)
    (lake.root / "folder").symlink_to(Path(lake.tables["t0"].url))
    found, report = searched(iceberg.services, str(lake.root))
    assert report.links == 2
    assert found == lake.orphans(iceberg.now) - {target, f"{lake.root}/link"} - {
        path for path in found if "/folder/" in path
    }
    # A symbolic link to the same lake.
    (tmp_path / "alias").symlink_to(lake.root)
    by_alias = found_in(iceberg.services, str(tmp_path / "alias"))
    assert {path.replace(str(tmp_path / "alias"), str(lake.root)) for path in by_alias} == found


def test_ages_below_a_day_need_a_flag(services: Services) -> None:
    with pytest.raises(RequestInvalid, match="below one day"):
        OrphanSearch("/lake", older_than_ms=DAY * 1000 - 1)
    assert OrphanSearch("/lake", older_than_ms=0, may_be_recent=True).older_than_ms == 0
    assert OLD > 3 * DAY
