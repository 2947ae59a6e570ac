"""A response's content coding follows Accept-Encoding."""

from __future__ import annotations

import pytest

from lakemuster.api.compression import preferred


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("", None),
        ("identity", None),
        ("br, deflate", None),
        ("gzip", "gzip"),
        ("gzip, zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip;q=0.8", "gzip"),
        ("gzip;q=0", None),
        ("*", "gzip"),
        ("*, gzip;q=0", None),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, GZIP", "gzip"),
        ("gzip;q=nonsense", None),
    ],
)
def test_the_best_coding_is_chosen(accepted: str, coding: str | None) -> None:
    assert preferred(accepted) == coding
