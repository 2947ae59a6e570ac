"""The ports of Iceberg and Paimon on in-memory listings and documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from lakemuster.errors import FormatUnsupported, MetadataCorrupt, ObjectMissing
from lakemuster.formats.protocol import FileInfo
from lakemuster.formats.registry import format_of, table_formats
from lakemuster.metadata.snapshot import MAIN, UNREADABLE, ManifestHeader, Snapshot

T = TypeVar("T")

SCHEMA = {"id": 0, "fields": [{"id": 0, "name": "a", "type": "INT"}], "highestFieldId": 0, "options": {}}
HEAD = {
    "version": 3,
    "schemaId": 0,
    "baseManifestList": "base",
    "deltaManifestList": "delta",
    "timeMillis": 5,
    "commitKind": "APPEND",
}


@dataclass(frozen=True)
class File:
    location: str
    name: str
    size: int
    is_folder: bool = False
    modified_ms: int | None = 7


class Memory:
    """In-memory object storage that counts its requests."""

    def __init__(self, objects: Mapping[str, object]) -> None:
        self._objects = {
            location: one if isinstance(one, bytes) else json.dumps(one).encode() for location, one in objects.items()
        }
        self.lists: list[str] = []
        self.reads: list[str] = []

    def list(self, location: str) -> Sequence[FileInfo]:
        self.lists.append(location)
        prefix = location + "/"
        found: dict[str, File] = {}
        for path, data in self._objects.items():
            if path.startswith(prefix):
                name, *below = path.removeprefix(prefix).split("/")
                found[name] = File(prefix + name, name, len(data), is_folder=bool(below))
        return [found[name] for name in sorted(found)]

    def stat(self, location: str) -> FileInfo | None:
        data = self._objects.get(location)
        return None if data is None else File(location, location.rpartition("/")[2], len(data))

    def read(self, location: str, *, max_bytes: int) -> bytes:
        self.reads.append(location)
        data = self._objects[location]
        assert len(data) <= max_bytes
        return data

    def read_listed(self, files: Sequence[FileInfo], *, max_bytes: int) -> Iterator[tuple[FileInfo, bytes]]:
        for file in reversed(files):
            if file.location in self._objects:
                yield file, self.read(file.location, max_bytes=max_bytes)

    def parse(self, function: Callable[..., T], data: bytes, *arguments: object) -> T:
        return function(data, *arguments)

    def delete(self, location: str) -> None:
        del self._objects[location]


def paimon(**more: object) -> Memory:
    heads = {f"t/snapshot/snapshot-{number}": {**HEAD, "id": number} for number in (1, 2)}
    return Memory({"t/schema/schema-0": SCHEMA, "t/snapshot/LATEST": b"1", **heads, **more})


def children(objects: Memory, folder: str) -> dict[str, FileInfo]:
    return {file.name: file for file in objects.list(folder)}


def test_a_folder_is_recognized_by_its_own_format_only():
    lake = paimon(**{"i/metadata/v1.metadata.json": {}, "e/metadata/notes.txt": b"", "e/schema/readme": b""})
    found = {
        folder: [port.name for port in table_formats() if port.recognizes(lake, folder, children(lake, folder))]
        for folder in ("t", "i", "e")
    }
    assert found == {"t": ["paimon"], "i": ["iceberg"], "e": []}


def test_a_folder_without_the_formats_folders_costs_no_listing():
    lake = Memory({"w/data/file.parquet": b""})
    known = children(lake, "w")
    lake.lists.clear()
    assert not any(port.recognizes(lake, "w", known) for port in table_formats())
    assert lake.lists == []


@pytest.mark.parametrize(
    ("location", "root"),
    [
        ("s3://b/t/metadata/v3.metadata.json", "s3://b/t"),
        ("s3://b/t/elsewhere/00001-x.gz.metadata.json", "s3://b/t/elsewhere"),
        ("s3://b/t", None),
    ],
)
def test_the_root_of_a_metadata_file_is_above_its_metadata_folder(location, root):
    assert format_of("iceberg").root_of(location) == root
    assert format_of("paimon").root_of(location) is None


def test_a_hint_that_names_a_missing_file_is_an_error():
    lake = Memory({"i/metadata/v1.metadata.json": {}, "i/metadata/version-hint.text": b"7"})
    with pytest.raises(ObjectMissing, match="names a metadata file that does not exist"):
        format_of("iceberg").find(lake, "i")


def test_a_token_changes_with_a_new_snapshot_and_not_with_a_hint():
    port = format_of("paimon")
    tokens = [
        pointer.token
        for lake in (paimon(), paimon(**{"t/snapshot/EARLIEST": b"1"}), paimon(**{"t/snapshot/snapshot-3": HEAD}))
        if (pointer := port.find(lake, "t")) is not None
    ]
    assert tokens[0] == tokens[1] != tokens[2]
    assert len(tokens) == 3


def loaded(lake: Memory, known: Mapping[tuple[str, int], Snapshot] | None = None) -> Any:
    port = format_of("paimon")
    pointer = port.find(lake, "t")
    assert pointer is not None
    lake.reads.clear()
    return port.load(lake, pointer, known or {})


def test_a_known_snapshot_is_read_again_only_if_it_is_the_newest_known():
    lake = paimon(**{"t/snapshot/snapshot-3": {**HEAD, "id": 3}})
    first = loaded(lake)
    known = {(MAIN, one.snapshot_id): one for one in first.snapshots if one.snapshot_id < 3}
    again = loaded(lake, known)
    assert again.snapshots == first.snapshots
    assert "t/snapshot/snapshot-1" not in lake.reads
    assert {"t/snapshot/snapshot-2", "t/snapshot/snapshot-3"} <= set(lake.reads)


def test_a_snapshot_that_is_no_json_is_unreadable_and_the_others_stay():
    metadata = loaded(paimon(**{"t/snapshot/snapshot-2": b"{"}))
    assert [UNREADABLE in one.extra for one in metadata.snapshots] == [False, True]


def test_metadata_that_vanished_since_it_was_listed_is_an_error():
    lake, port = paimon(), format_of("paimon")
    pointer = port.find(lake, "t")
    assert pointer is not None
    lake.delete("t/schema/schema-0")
    with pytest.raises(MetadataCorrupt, match="vanished while it was read"):
        port.load(lake, pointer, {})


@pytest.mark.parametrize("place", ["tag/tag-a", "changelog/changelog-0", "branch/branch-b/schema/schema-0"])
@pytest.mark.parametrize(("document", "error"), [(b"{", MetadataCorrupt), ({**HEAD, "version": 9}, FormatUnsupported)])
def test_a_document_that_cannot_be_parsed_is_named(place, document, error):
    with pytest.raises(error, match=f"^{place}: "):
        loaded(paimon(**{f"t/{place}": document}))


def test_tags_and_changelogs_may_expire_while_they_are_read():
    lake, port = paimon(**{"t/tag/tag-a": HEAD, "t/changelog/changelog-1": HEAD}), format_of("paimon")
    pointer = port.find(lake, "t")
    assert pointer is not None
    lake.delete("t/tag/tag-a")
    lake.delete("t/changelog/changelog-1")
    assert [ref.name for ref in port.load(lake, pointer, {}).refs] == [MAIN]


def test_a_branch_may_be_dropped_while_it_is_read():
    names = ("schema/schema-0", "snapshot/snapshot-1", "tag/tag-a")
    side = {f"t/branch/branch-b/{name}": SCHEMA if "schema" in name else HEAD for name in names}
    lake, port = paimon(**side), format_of("paimon")
    pointer = port.find(lake, "t")
    assert pointer is not None
    for location in side:
        lake.delete(location)
    metadata = port.load(lake, pointer, {})
    assert [ref.name for ref in metadata.refs] == [MAIN]
    assert {one.branch for one in metadata.snapshots} == {MAIN}


def test_a_manifest_of_another_length_needs_counts_to_prove_it():
    port, header = format_of("iceberg"), ManifestHeader("m.avro", 10)
    with pytest.raises(MetadataCorrupt, match="its list says 10 and has no counts"):
        port.decode_manifest(b"", header, loaded(paimon()), MAIN)


def test_only_iceberg_has_manifests_outside_of_lists():
    metadata = loaded(paimon())
    with pytest.raises(MetadataCorrupt, match="no manifests outside of manifest lists"):
        format_of("paimon").describe_inline(b"", "m", metadata.snapshots[0], metadata)
