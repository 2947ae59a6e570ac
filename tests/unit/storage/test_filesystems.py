"""Filesystems: creation from options, deadlines of calls, and modification times."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import fsspec
import pytest
from fsspec.asyn import AsyncFileSystem

from lakemuster.storage.filesystems import Filesystem, modified_ms

MOMENT = datetime(2024, 1, 1, tzinfo=UTC)


class Sleeping(AsyncFileSystem):  # type: ignore[misc]
    """A filesystem that answers after the time in its options."""

    protocol = "sleeping"

    def __init__(self, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self.seconds = seconds

    async def _size(self, path: str) -> int:
        await asyncio.sleep(self.seconds)
        return len(path)


@pytest.fixture(autouse=True)
def _registered() -> None:
    fsspec.register_implementation("sleeping", Sleeping, clobber=True)


def test_a_call_ends_by_its_deadline() -> None:
    with pytest.raises(TimeoutError):
        Filesystem("sleeping", {"seconds": 60}).call("size", "a", deadline_seconds=0.01)


def test_a_call_gives_the_drivers_answer() -> None:
    for deadline_seconds in (None, 30.0):
        assert Filesystem("sleeping", {"seconds": 0}).call("size", "abc", deadline_seconds=deadline_seconds) == 3


def test_the_service_alone_decides_about_caches() -> None:
    with pytest.raises(TypeError):
        Filesystem("memory", {"use_listings_cache": True})
    assert Filesystem("sleeping", {"seconds": 0}).driver is not Filesystem("sleeping", {"seconds": 0}).driver


def test_an_unknown_scheme_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Filesystem("nothing", {})


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"LastModified": MOMENT}, 1_704_067_200_000),
        ({"mtime": 1.5}, 1500),
        ({"updated": "2024-01-01T00:00:00+00:00"}, 1_704_067_200_000),
        ({"mtime": None, "created": MOMENT}, 1_704_067_200_000),
        ({"modificationTime": 1_704_067_200_000}, 1_704_067_200_000),
        ({"updated": "yesterday"}, None),
        ({"size": 3}, None),
    ],
)
def test_times_are_read_as_drivers_report_them(info: dict[str, Any], expected: int | None) -> None:
    assert modified_ms(info) == expected
