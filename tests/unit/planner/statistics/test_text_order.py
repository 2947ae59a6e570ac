"""Ranks of texts compare as the texts do; planted bugs are detected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.planner.statistics import text_order
from tests.planted_bugs import fails
from tests.unit.planner.oracle.planting import Patch, instead

PIECES = (
    b"",
    b"\0",
    b"a",
    b"b",
    b"\xff",
    "é".encode(),
    b"abcdefg",
    b"abcdefgh",
    b"\0" * 8,
    b"abcdefgh" * 2,
    b"\xff" * 8,
)
TABLES = 600


def some_texts(rng: Random) -> list[bytes | None]:
    """Return texts of few pieces, so that many are equal or differ late; some are null."""
    prefix, most = rng.choice((b"", b"", b"https://")), rng.randint(1, 4)
    texts = [prefix + b"".join(rng.choices(PIECES, k=rng.randint(0, most))) for _ in range(rng.randint(0, 12))]
    return [None if rng.random() < 0.1 else text for text in texts]


def ranks(texts: Sequence[bytes | None], rng: Random) -> list[int]:
    """Return the ranks of texts in a chunked array of slices."""
    whole = pa.array([b"before", *texts, b"after"], pa.binary())
    cut = rng.randint(0, len(texts))
    chunks = [whole.slice(1, cut), whole.slice(1 + cut, len(texts) - cut)]
    found: list[int] = text_order.text_ranks(pa.chunked_array(chunks, pa.binary())).tolist()
    return found


def check(rng: Random) -> None:
    texts = some_texts(rng)
    known = [(text, rank) for text, rank in zip(texts, ranks(texts, rng), strict=True) if text is not None]
    for (one, rank), (other, other_rank) in product(known, repeat=2):
        assert (rank < other_rank) == (one < other), (one, other)


@pytest.mark.parametrize("most_alike", [1, 2, 16])
def test_numbers_compare_as_texts_do(most_alike: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_order, "_MOST_ALIKE", most_alike)
    for seed in range(TABLES):
        check(Random(seed))


def test_arrays_without_rows_or_texts_add_nothing() -> None:
    empty = pa.Array.from_buffers(pa.binary(), 0, [None, None, pa.py_buffer(b"")])
    chunks = [empty, pa.array([None], pa.binary()), empty, pa.array([b"b", b"a"], pa.binary())]
    assert text_order.text_ranks(pa.chunked_array(chunks)).tolist() == [0, 2, 1]
    assert text_order.text_ranks(pa.chunked_array([empty])).tolist() == []
    assert text_order.text_ranks(pa.chunked_array([pa.nulls(2, pa.binary())])).tolist() == [0, 0]


def words(changed: Callable[[Any, Any], Any]) -> Callable[[Patch], None]:
    """Return a bug that changes the words read from texts."""

    def plant(patch: Patch) -> None:
        instead(patch, text_order, "_words", lambda real: lambda *of: changed(*real(*of)))

    return plant


PLANTED: dict[str, Callable[[Patch], None]] = {
    "texts are compared by their first eight bytes": lambda patch: patch.setattr(
        text_order, "_shared", np.zeros_like
    ),
    "a text that ends is one with zeros behind": words(lambda of, lengths: (of, np.where(lengths > 8, 9, 8))),
    "longer texts end": words(lambda of, lengths: (of, np.minimum(lengths, 8))),
    "bytes above 127 are negative": words(lambda of, lengths: (of ^ np.uint64(1 << 63), lengths)),
    "the last of eight bytes is left out": words(lambda of, lengths: (of >> np.uint64(8), lengths)),
    "bytes behind the end count": lambda patch: patch.setattr(
        text_order, "_KEPT", np.full(10, 2**64 - 1, np.uint64)
    ),
    "all texts begin as the first two do": lambda patch: instead(
        patch, text_order, "_common_prefix", lambda real: lambda texts: real(texts.slice(0, 2))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[name](monkeypatch)
    assert any(fails(check, Random(seed)) for seed in range(TABLES))
