"""Parsing of locations, and the locations that the roots admit."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import ConfigInvalid, LocationRefused
from lakemuster.storage.locations import Location, Roots, absolute, redacted, with_scheme, with_schemes

PARSED = {
    "/lake/t": ("file", "", "lake/t"),
    "/lake//t/./": ("file", "", "lake/t"),
    "//lake/t": ("file", "", "lake/t"),
    "/": ("file", "", ""),
    "file:/lake/t": ("file", "", "lake/t"),
    "file:///lake/t/": ("file", "", "lake/t"),
    "FILE:///lake/t": ("file", "", "lake/t"),
    "file://localhost/lake/t": ("file", "", "lake/t"),
    "/home/me@corp/lake": ("file", "", "home/me@corp/lake"),
    "/lake/day=2024-01-01 10%3A00/x y": ("file", "", "lake/day=2024-01-01 10%3A00/x y"),
    "/lake/a%252eb/…/ü": ("file", "", "lake/a%252eb/…/ü"),
    "data/persistent/x": ("", "", "data/persistent/x"),
    "./x": ("", "", "x"),
    "s3://bucket": ("s3", "bucket", ""),
    "s3://bucket/": ("s3", "bucket", ""),
    "s3://bucket/a/b": ("s3", "bucket", "a/b"),
    "s3a://bucket/a": ("s3", "bucket", "a"),
    "S3N://Bucket/a": ("s3", "Bucket", "a"),
    "s3://bucket/t//metadata/v1": ("s3", "bucket", "t//metadata/v1"),
    "s3://bucket/a?versionId=1#2": ("s3", "bucket", "a?versionId=1#2"),
    "s3://my.bucket_1/a...b/..c": ("s3", "my.bucket_1", "a...b/..c"),
    "gcs://bucket/a": ("gs", "bucket", "a"),
    "abfss://box@account.dfs.core.windows.net/t": ("abfs", "box@account.dfs.core.windows.net", "t"),
    "wasbs://box@account.blob.core.windows.net/t": ("abfs", "box@account.dfs.core.windows.net", "t"),
    "az://box/t": ("abfs", "box", "t"),
    "cosn://bucket/t": ("cos", "bucket", "t"),
    "HTTPS://Host:443/a%20b#c": ("https", "host", "a%20b#c"),
    "hdfs://name-node:8020/warehouse/t": ("hdfs", "name-node:8020", "warehouse/t"),
    "memory://lake/t": ("memory", "lake", "t"),
}

REFUSED = [
    "", "..", "/..", "/lake/../etc", "../lake", "lake/..", "s3://bucket/..", "s3://bucket/a/../../b", "s3://../a",
    "/lake/%2e%2e/etc", "/lake/%2E%2E/etc", "/lake/.%2e/etc", "/lake/x%2ey", "/lake/%252e%252e/etc", "/lake/..%2fetc",
    "/lake/..%252F..%252Fetc", "/lake/..\\etc", "/lake\\..\\etc", "s3://bucket\\@other/a", "/lake/%2e./x",
    "/lake/a\\b", "s3://bucket/a\\b",
    "simplecache::file:///etc/passwd", "simplecache::s3://bucket/a", "/lake/a::b", "zip://x::s3://bucket/a",
    "s3://key:secret@bucket/a", "s3://other@bucket/a", "s3://bucket@other/a", "s3://bucket/a@b", "https://me@host/a",
    "abfs://a:b@c/x", "abfs://a@b@c/x", "file://me@host/a",
    "/lake/a\x00b", "/lake/a\nb", "s3://bucket/a\r\nb", "/lake/a\x7f", "/lake/\x85", "/lake/\u2028", "/lake/\ud800",
    "s3://", "s3:///a", "s3:a", "s3:/bucket/a", "s3:", "s3:// /a", "s3://b c/a", "s3://bucket?x/a", "s3://bucket#x/a",
    "s3://bucket:80/a", "s3://%62ucket/a", "s3://-bucket/a", "s3://.bucket/a", "s3://bucket/./a", "s3://bücket/a",
    "https://host/a?sig=hunter2", "hdfs://host:port/a", "hdfs://host:999999/a", "file:", "file:lake", "file://lake/t", "file://host/lake",
    "C:/lake", "C:\\lake", "c:lake", "data:text/plain,x", "/" + "a" * 4096,
]  # fmt: skip


@pytest.mark.parametrize("text", PARSED)
def test_a_location_has_these_parts(text: str) -> None:
    location = Location.parse(text)
    assert (location.scheme, location.bucket, location.key) == PARSED[text]


@pytest.mark.parametrize("text", PARSED)
def test_the_normal_spelling_parses_to_the_same_location(text: str) -> None:
    location = Location.parse(text)
    assert Location.parse(location.text or ".") == location


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_ambiguous_locations_are_refused(text: str) -> None:
    with pytest.raises(LocationRefused):
        Location.parse(text)


@pytest.mark.parametrize(
    ("root", "inside", "outside"),
    [
        ("s3://lake/db", ["s3://lake/db", "s3a://lake/db/t", "s3://lake/db//t"],
         ["s3://lake/db2/t", "s3://lake/d", "s3://lake", "s3://lake2/db/t", "gs://lake/db/t", "s3://LAKE/db/t"]),
        ("s3://lake", ["s3://lake", "s3n://lake/x"], ["s3://lake-secret/x", "s3://lak/x", "/lake/x", "hdfs://lake/x"]),
        ("/lake", ["/lake", "file:/lake/t", "file:///lake/t", "//lake//t"], ["/lakes", "/lak", "/", "/lake2/t", "lk"]),
        ("file:///", ["/etc/passwd", "file:/x"], ["s3://etc/passwd", "etc"]),
        ("/lake/t/v1.metadata.json", ["/lake/t/v1.metadata.json"], ["/lake/t", "/lake/t/v1.metadata.json2"]),
        ("abfss://box@one.dfs.core.windows.net/t", ["abfs://box@one.dfs.core.windows.net/t/x"],
         ["abfs://box@two.dfs.core.windows.net/t/x", "abfs://box/t/x"]),
        ("hdfs://node:8020/w", ["hdfs://node:8020/w/t"], ["hdfs://node:8021/w/t", "hdfs://node/w/t"]),
    ],
)  # fmt: skip
def test_a_root_matches_whole_path_components(root: str, inside: list[str], outside: list[str]) -> None:
    roots = Roots.of([root, f"{root}/"], "/nowhere")
    for text in inside:
        assert roots.admit(text) == Location.parse(text)
    for text in outside:
        with pytest.raises(LocationRefused):
            roots.admit(text)


def test_no_roots_admit_nothing() -> None:
    with pytest.raises(LocationRefused, match="outside the allowed roots"):
        Roots().admit("/")


@pytest.mark.parametrize("text", ["s3//lake", "S3A//lake/t", "gs//lake", "hdfs//node/w", "s3:/lake", "s3:lake"])
def test_a_root_that_is_a_mistyped_url_is_refused(text: str) -> None:
    with pytest.raises(ConfigInvalid, match="ROOTS: "):
        Roots.of([text], "/here")


@pytest.mark.parametrize("text", ["s3", "s3/lake", "lake//t", "./s3//lake", "azure//t"])
def test_relative_folders_are_roots(text: str) -> None:
    assert Roots.of([text], "/here").locations[0].text.startswith("/here/")


def test_a_relative_location_needs_a_rewrite() -> None:
    with pytest.raises(LocationRefused, match="OLD=NEW"):
        Roots.of(["/"], "/").admit("data/t")


def test_adding_a_root_leaves_the_others_as_they_are() -> None:
    few = Roots.of(["s3://lake"], "/")
    more = few.adding(Location.parse("/more"))
    assert more.admit("/more/t").key == "more/t"
    assert more.admit("s3://lake/t").bucket == "lake"
    with pytest.raises(LocationRefused):
        few.admit("/more/t")


@pytest.mark.parametrize("root", ["", "s3://", "s3://key:secret@lake", "s3://lake/..", "lake\x00"])
def test_an_invalid_root_is_an_invalid_setting(root: str) -> None:
    with pytest.raises(ConfigInvalid, match="ROOTS") as caught:
        Roots.of([root], "/")
    assert "secret" not in str(caught.value)


def test_relative_settings_are_resolved_against_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert absolute("lake", "/srv") == "/srv/lake"
    assert absolute("./lake/", "/srv") == "/srv/lake"
    assert absolute("../lake", "/srv/here") == "/srv/lake"
    assert absolute("/lake/../pond", "/srv") == "/pond"
    assert absolute("~/lake", "/srv") == "/home/me/lake"
    assert absolute("s3a://lake/t/", "/srv") == "s3://lake/t"
    with pytest.raises(LocationRefused):
        absolute("s3://lake/../t", "/srv")


@pytest.mark.parametrize(
    "text",
    [
        "s3://AKIA:hunter2@lake/t", "s3://AKIA:hun/hunter2@lake/t", "https://host/a?X-Amz-Signature=hunter2",
        "https://hunter2@host/a", "abfs://box:hunter2@account/x", "file://me:hunter2@host/x",
        "s3://lake/t\n?sig=hunter2",
    ],
)  # fmt: skip
def test_secrets_do_not_reach_messages(text: str) -> None:
    assert "hunter2" not in redacted(text)
    with pytest.raises(LocationRefused) as caught:
        Roots().admit(text)
    assert "hunter2" not in f"{caught.value} {caught.value.context}"
    assert "\n" not in str(caught.value)


def test_a_long_location_is_abbreviated() -> None:
    assert len(redacted("/" + "x" * 100_000 + ".avro")) < 400


pieces = st.sampled_from(
    ["..", ".", "%2e", "%2E%2e", "%252e%252e", "%2f", "%5c", "\\", "/", "//", "@", "::", ":", "?", "#", "\x00", "\n",
     "lake", "db", "t", "db2", "other", "s3:", "s3://", "s3a://", "S3://", "file:", "file:///", "gs://", " ", "é"]
)  # fmt: skip


@given(st.lists(pieces, max_size=8), st.sampled_from(["", "s3://lake/db/", "s3://lake/db", "s3://lake/"]))
def test_admitted_locations_lie_below_the_root_under_any_decoding(parts: list[str], start: str) -> None:
    text = start + "".join(parts)
    try:
        location = Roots.of(["s3://lake/db"], "/").admit(text)
    except LocationRefused:
        return
    assert (location.scheme, location.bucket) == ("s3", "lake")
    assert location.key == "db" or location.key.startswith("db/")
    decoded = location.key.lower()
    for _ in range(8):
        assert ".." not in decoded.replace("\\", "/").split("/")
        decoded = decoded.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\").replace("%25", "%")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_bare_paths_get_a_scheme_and_others_stay(kind: pa.DataType) -> None:
    given = ["/a b/é", "file:/c", "file:///d", "s3://b/k", "data/x", None]
    expected = ["file:///a b/é", "file:/c", "file:///d", "s3://b/k", "data/x", None]
    assert [None if text is None else with_scheme(text) for text in given] == expected
    found = with_schemes(pa.array(given).cast(kind) if not pa.types.is_dictionary(kind) else pa.array(given, kind))
    assert (found.to_pylist(), found.type) == (expected, kind)
    kept = pa.array(["s3://b/k"], pa.string())
    assert with_schemes(kept) is kept
