from __future__ import annotations

import pytest

from lakemuster.formats.iceberg.pointers import hint_candidates, newest_metadata, next_version, version_after

UUID = "43fda1f4-1c96-4376-ad16-91beb71d0759"


@pytest.mark.parametrize(
    ("names", "newest"),
    [
        ([], None),
        (["snap-1.avro", "version-hint.text", "x.metadata.json", ".v9.metadata.json.crc"], None),
        (["v1.metadata.json", "v2.metadata.json"], "v2.metadata.json"),
        (["v9.metadata.json", "v10.metadata.json"], "v10.metadata.json"),
        (["v1.metadata.json", "v2.gz.metadata.json"], "v2.gz.metadata.json"),
        (["v3.metadata.json.gz", "v2.metadata.json"], "v3.metadata.json.gz"),
        ([f"00000-{UUID}.metadata.json", f"00001-{UUID}.metadata.json"], f"00001-{UUID}.metadata.json"),
        ([f"00009-{UUID}.metadata.json", f"00010-{UUID}.gz.metadata.json"], f"00010-{UUID}.gz.metadata.json"),
        (["00099-b.metadata.json", "100-a.metadata.json"], "100-a.metadata.json"),
        (["00001-a.metadata.json", "00001-b.metadata.json"], "00001-b.metadata.json"),
        (["v2.metadata.json.tmp", "v1.metadata.json"], "v1.metadata.json"),
        (["v2.metadata.json", ".v3.metadata.json.crc", "v3-draft.metadata.json"], "v2.metadata.json"),
        (["v٣.metadata.json"], None),
    ],
)
def test_the_newest_metadata_has_the_highest_version(names, newest):
    for listed in (names, names[::-1]):
        found = newest_metadata(listed)
        assert (found and found.name) == newest


@pytest.mark.parametrize(
    ("names", "files", "is_of_catalog"),
    [
        (["v1.metadata.json", "v2.metadata.json"], 1, False),
        (["v2.metadata.json", "v2.gz.metadata.json", "v1.metadata.json"], 2, False),
        ([f"00001-{UUID}.metadata.json", "00000-a.metadata.json", "00000-b.metadata.json"], 1, True),
        (["00001-a.metadata.json", "00001-b.gz.metadata.json", "1-c.metadata.json"], 3, True),
        (["00002.metadata.json"], 1, False),
    ],
)
def test_it_is_told_what_makes_the_newest_doubtful(names, files, is_of_catalog):
    found = newest_metadata(names)
    assert found is not None
    assert found[1:] == (files, is_of_catalog)


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        (b"2", "v2.metadata.json"),
        (b" 2\r\n", "v2.metadata.json"),
        (b"2", "v2.gz.metadata.json"),
        (b"2", "v2.metadata.json.gz"),
        (b"00002", "v2.metadata.json"),
        (b"v2", "v2.metadata.json"),
        (f"00001-{UUID}".encode(), f"00001-{UUID}.metadata.json"),
        (f"00001-{UUID}".encode(), f"00001-{UUID}.gz.metadata.json"),
        (b"v2.metadata.json\n", "v2.metadata.json"),
        (b"v2.gz.metadata.json\n", "v2.gz.metadata.json"),
    ],
)
def test_a_hint_leads_to_the_file_that_it_names(hint, name):
    assert name in hint_candidates(hint)


@pytest.mark.parametrize("hint", [b"", b"\n", b"\xff\xfe", b"../v1", b"a/b", b"v1 v2", b"a" * 300, b".hidden", b"x..y"])
def test_a_hint_that_is_no_name_leads_nowhere(hint):
    assert hint_candidates(hint) == []


def test_a_stale_hint_is_followed_to_the_next_hadoop_version():
    names = {"v2.metadata.json", "v3.gz.metadata.json", "v5.metadata.json"}
    assert next_version("v2.metadata.json", names) == "v3.gz.metadata.json"
    assert next_version("v3.gz.metadata.json", names) is None


def test_a_hint_to_a_deleted_version_is_followed_to_the_newest_hadoop_version():
    names = {"v4.metadata.json", "v11.gz.metadata.json", "00012-a.metadata.json"}
    assert version_after("v2.metadata.json", names) == "v11.gz.metadata.json"
    assert version_after("v12.metadata.json", names) is None
    assert version_after("00002-b.metadata.json", names) is None
    assert version_after("v2.metadata.json", {"00003-a.metadata.json"}) is None


def test_names_of_catalogs_have_no_next_version():
    assert next_version("00001-a.metadata.json", {"00002-b.metadata.json", "v2.metadata.json"}) is None
    assert next_version("hint", {"v1.metadata.json"}) is None
