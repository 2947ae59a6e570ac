"""The key of a location depends on its text only."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.scan.paths import PathKeys, key_of, keys_of

texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=120), min_size=1, max_size=8)


@given(texts=texts, skipped=st.integers(0, 3))
def test_a_key_depends_on_its_text_only(texts: list[str], skipped: int) -> None:
    sliced = pa.array(texts, pa.string())[skipped:]
    alone = [keys_of(pa.array([text]))[0] for text in texts[skipped:]]
    assert keys_of(sliced).tolist() == alone
    assert list(map(key_of, texts[skipped:])) == alone


def test_file_names_have_distinct_keys() -> None:
    names = [
        f"s3://b/t/day={n % 7}/part-{n:05d}-2f9a6ba0-9b0e-4ddd-8f4c-0a3a1c7a7d11-c000.snappy.parquet"
        for n in range(20_000)
    ]
    names += [f"f{n}" for n in range(20_000)]
    assert len(np.unique(keys_of(pa.array(names)))) == len(names)


def test_no_texts_give_no_keys() -> None:
    assert keys_of(pa.array([], pa.string())).tolist() == []
    assert keys_of(pa.array([""])).tolist() == keys_of(pa.array(["x", ""])).tolist()[1:]


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**63, 2**64 - 1])), st.integers(0, 2**64 - 1))
def test_the_entries_of_a_key_are_found_and_few_others(own: list[int], other: int) -> None:
    keys = PathKeys.of(np.array(own, np.uint64))
    cut = len(own).bit_length()
    for key in {*own, other}:
        assert keys.of_key(key) == [entry for entry, of in enumerate(own) if of >> cut == key >> cut]
