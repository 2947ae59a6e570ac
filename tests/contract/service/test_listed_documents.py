"""A listed metadata file is missing: either it was deleted since, or the storage is inconsistent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.catalog.services import Services
from lakemuster.main import build_services
from tests.clocks import SteppedClock
from tests.contract.service.backends import decoders, settings
from tests.contract.service.faulty_storage import FaultyStorage, missing
from tests.contract.service.test_branch_snapshots import NAME, SOURCE


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def root(tmp_path: Path, lakes: Path) -> Path:
    """A Paimon table of one snapshot."""
    folder = tmp_path / "lake" / "t"
    shutil.copytree(lakes / SOURCE, folder, copy_function=shutil.copyfile)
    (folder / "snapshot" / "snapshot-2").rename(tmp_path / "snapshot-2")
    return folder


@pytest.fixture
def services(tmp_path: Path, root: Path, clock: SteppedClock) -> Iterator[Services]:
    of = settings(tmp_path, roots=(str(root.parent),), max_staleness=0.0)
    made = build_services(of, clock=clock)
    own, made.refresher.pool = made.refresher.pool, decoders(of.decoder_memory)
    try:
        made.add(NAME, str(root), None, ())
        assert newest(made) == (1, None)
        yield made
    finally:
        made.refresher.pool = own
        made.close()


def newest(services: Services) -> tuple[int, str | None]:
    view = services.view(NAME)
    assert view.snapshot is not None
    return view.snapshot.snapshot.snapshot_id, view.stale


def test_a_listed_snapshot_that_storage_does_not_find_makes_the_table_stale(
    services: Services, root: Path, tmp_path: Path, clock: SteppedClock, storage: FaultyStorage
) -> None:
    second = root / "snapshot" / "snapshot-2"
    (tmp_path / "snapshot-2").rename(second)
    storage.faults[str(second)] = missing
    for _ in range(3):
        clock.pass_seconds(10)
        number, stale = newest(services)
        assert number == 1
        assert "object_missing: storage lists" in str(stale)
        assert "snapshot-2" in str(stale)
    storage.heal()
    clock.pass_seconds(10)
    assert newest(services) == (2, None)


def test_a_snapshot_that_was_deleted_since_it_was_listed_is_left_out(
    services: Services, root: Path, tmp_path: Path, clock: SteppedClock, storage: FaultyStorage
) -> None:
    second = root / "snapshot" / "snapshot-2"
    (tmp_path / "snapshot-2").rename(second)

    def delete(path: str) -> None:
        Path(path).unlink()
        missing(path)

    storage.faults[str(second)] = delete
    clock.pass_seconds(10)
    assert newest(services) == (1, None)
