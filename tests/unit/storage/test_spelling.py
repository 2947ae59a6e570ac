"""Spellings of one location have one canonical form, and equal keys in every process."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.storage.reference_keys import ANYWHERE, FileKeys, ReferenceKeys
from lakemuster.storage.spelling import comparable, is_below, keys_of, named

SAME = [
    ("/lake/a/b.parquet", ["file:/lake/a/b.parquet", "file:///lake/a/b.parquet", "file://localhost/lake/a/b.parquet"]),
    (
        "/lake/a/b.parquet",
        ["/lake//a/b.parquet", "/lake/./a/b.parquet", "/lake/a/b.parquet/", "FILE:/lake/a/b.parquet"],
    ),
    ("s3://b/k/x", ["s3a://b/k/x", "s3n://b//k/x", "S3://b/k//x", "s3://b/./k/x"]),
    ("s3://b/a b", ["s3a://b/a%20b", "s3://b/a+b", "s3://b/a%2520b", "s3://b/%61%20b"]),
    ("gs://b/x", ["gcs://b/x"]),
    ("abfs://c@a.dfs.core.windows.net/x", ["abfss://c@a.dfs.core.windows.net/x", "wasb://c@a.blob.core.windows.net/x"]),
]


@pytest.mark.parametrize(("one", "others"), SAME)
def test_spellings_of_a_location_have_one_form(one: str, others: list[str]) -> None:
    assert {comparable(other) for other in others} == {comparable(one)}


def test_different_objects_have_different_forms() -> None:
    different = ["/a/b", "/a/c", "s3://a/b", "gs://a/b", "s3://a/B", "s3://ab", "/a", "/", "/a/b.c", "/a/é"]
    assert len({comparable(one) for one in different}) == len(different)


@pytest.mark.parametrize("relative", ["a/b", "./a", "", "data:x", "s3"])
def test_relative_locations_are_refused(relative: str) -> None:
    with pytest.raises(ValueError, match="relative"):
        comparable(relative)


STORED = [-1706842503061863981, 3394012004367669963, -6717455779351158834]
PARTS = st.lists(
    st.text("ab%20+é\n=.", min_size=1, max_size=6).filter(lambda part: part not in (".", "..")), min_size=1
)


@given(PARTS, st.data())
def test_a_form_does_not_depend_on_the_spelling(parts: list[str], data: st.DataObject) -> None:
    def spelled(scheme: str) -> str:
        separators = [data.draw(st.sampled_from(["/", "//", "/./"])) for _ in parts]
        return scheme + "".join(f"{slash}{part}" for slash, part in zip(separators, parts, strict=True))

    assert comparable(spelled(data.draw(st.sampled_from(["s3://b", "s3a://b"])))) == comparable(spelled("s3://b"))
    assert comparable(spelled(data.draw(st.sampled_from(["file://", "file:", ""])))) == comparable(spelled(""))
    form = comparable(spelled(""))
    assert comparable(form) == form
    assert re.search("//|%[0-9]{2}", form) is None


def test_folders_hold_what_is_below_them() -> None:
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert is_below("s3://b/a", comparable("s3://b"))
    assert is_below("/a", comparable("/"))
    assert not is_below("/ab", "/a")


def test_keys_are_those_of_every_process() -> None:
    assert keys_of(["/a/b", "é", "\udcff"]).tolist() == STORED
    assert len(set(keys_of([f"/a/{number}" for number in range(100_000)]).tolist())) == 100_000


def references(*rows: tuple[str, str, str | None]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True))
    return pa.RecordBatch.from_arrays(
        [pa.array(column, pa.string()) for column in columns], names=["kind", "location", "name"]
    )


def test_names_mean_files_anywhere_below_their_folder() -> None:
    known = ReferenceKeys(comparable)
    keys = known.keys(
        references(
            ("data", "s3a://b/t/x.parquet", None),
            ("metadata", "s3://b/i/metadata/v1.metadata.json", None),
            ("data", "s3://b/p", "y.orc"),
            ("data", ANYWHERE, "z.orc"),
        )
    )
    assert known.roots == {"s3://b/p", ANYWHERE}
    assert known.metadata_folders == {"s3://b/i/metadata"}
    files = FileKeys("s3://b", comparable, known.roots)
    paths = ["t/x.parquet", "t/.x.parquet.crc", "p/k=1/y.orc", "q/y.orc", "q/r/z.orc", "z.orc.x", "t/x.orc"]
    made, rows = files.keys(paths)
    found = {paths[row] for row, key in zip(rows, made.tolist(), strict=True) if key in set(keys.tolist())}
    assert found == {"t/x.parquet", "t/.x.parquet.crc", "p/k=1/y.orc", "q/r/z.orc"}
    assert named("s3://b/p", "a%20b") == named("s3://b/p", "a b")
