"""The files of a Paimon table that no manifest names, and whether its snapshots name all others.

Source: Paimon ``SnapshotManager``, ``TagManager``, ``ChangelogManager``, ``ConsumerManager``, ``ServiceManager``,
``SuccessFileTagCallback``, ``SuccessFileMarkDoneAction``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import orjson

from lakemuster.errors import ObjectMissing
from lakemuster.formats.paimon.loading import DOCUMENT_LIMIT
from lakemuster.formats.protocol import FileInfo, Inventory, LookedAt, Objects
from lakemuster.metadata.snapshot import TableMetadata

_FOLDERS = {
    "schema": ("schema", re.compile(r"schema-\d+")),
    "snapshot": ("snapshot", re.compile(r"snapshot-\d+|LATEST|EARLIEST")),
    "changelog": ("snapshot", re.compile(r"changelog-\d+|LATEST|EARLIEST")),
    "tag": ("tag", re.compile(r"tag-.*", re.DOTALL)),
    "tag/tag-success-file": ("tag", re.compile(r".*", re.DOTALL)),
    "consumer": ("consumer", re.compile(r"consumer-.*", re.DOTALL)),
    "service": ("service", re.compile(r"service-.*", re.DOTALL)),
}
"""The folders of a table and of each of its branches: the kind of their files, and the names of files in use."""
_NAMED = ("baseManifestList", "deltaManifestList", "indexManifest", "statistics")
_CHANGELOG = "changelogManifestList"
_KEEPER = re.compile(r"tag-.*|changelog-\d+", re.DOTALL)
_EXTERNAL = "data-file.external-paths"
_SCHEMA = re.compile(r"(.*)/schema/schema-\d+", re.DOTALL)
_BRANCH = re.compile(r"(.*)/branch/branch-[^/]+", re.DOTALL)


class PaimonInventory(Inventory):
    """Schemas, snapshots, changelogs, tags, consumers and services of the table and its branches."""

    def documents(self, objects: Objects, table: LookedAt) -> Iterator[tuple[str, str]]:
        """See :class:`Inventory`."""
        for root in _roots(objects, table.metadata.location):
            for folder, (kind, name) in _FOLDERS.items():
                for one in objects.list(f"{root}/{folder}"):
                    if not one.is_folder and name.fullmatch(one.name):
                        yield kind, one.location

    def doubt(self, objects: Objects, table: LookedAt) -> str | None:
        """See :class:`Inventory`.

        A tag or changelog may name other files than the snapshot of the same id; the index holds only one of these.
        """
        known = {ref.location.rpartition("/")[2] for one in table.snapshots for ref in one.manifest_lists}
        known |= {name for one in table.snapshots if isinstance(name := one.extra.get("statistics"), str)}
        branches = {f"branch-{name}" for name in table.metadata.branch_schemas}
        for root in _roots(objects, table.metadata.location):
            folder = root.rpartition("/")[2]
            if root != table.metadata.location.rstrip("/") and folder not in branches and _snapshots(objects, root):
                return f"its folder branch/{folder} has snapshots, and no schema"
            for one in _keepers(objects, root):
                if (unknown := _unknown_file(objects, one, known)) is not None:
                    return f"{one.name} names {unknown}, which no snapshot in the index does"
        return None

    def places(self, metadata: TableMetadata) -> list[str]:
        """See :class:`Inventory`."""
        schemas = [*metadata.schemas, *(one for branch in metadata.branch_schemas.values() for one in branch)]
        listed = [dict(schema.options).get(_EXTERNAL, "") for schema in schemas]
        return list(dict.fromkeys(place.strip() for text in listed for place in text.split(",") if place.strip()))

    def table_of(self, location: str) -> str | None:
        """See :class:`Inventory`."""
        found = _SCHEMA.fullmatch(location) if "/schema/schema-" in location else None
        if found is None:
            return None
        branch = _BRANCH.fullmatch(found[1])
        return found[1] if branch is None else branch[1]


def _roots(objects: Objects, location: str) -> Iterable[str]:
    root = location.rstrip("/")
    branches = [one.name for one in objects.list(f"{root}/branch") if one.is_folder and one.name.startswith("branch-")]
    return [root, *(f"{root}/branch/{name}" for name in branches)]


def _snapshots(objects: Objects, root: str) -> bool:
    return any(one.name.startswith("snapshot-") for one in objects.list(f"{root}/snapshot"))


def _keepers(objects: Objects, root: str) -> Iterator[FileInfo]:
    """Yield the files of tags and changelogs."""
    for folder in ("tag", "changelog"):
        for one in objects.list(f"{root}/{folder}"):
            if not one.is_folder and _KEEPER.fullmatch(one.name):
                yield one


def _unknown_file(objects: Objects, file: FileInfo, known: set[str]) -> str | None:
    """Return the name of a file that a tag's or changelog's document names and that is not known."""
    try:
        document = orjson.loads(objects.read(file.location, max_bytes=DOCUMENT_LIMIT))
    except (ObjectMissing, orjson.JSONDecodeError):
        # A deleted file retains nothing, and the index quarantines documents that cannot be parsed.
        return None
    # The changelog of a tagged snapshot is deleted when the snapshot expires.
    members = _NAMED if file.name.startswith("tag-") else (*_NAMED, _CHANGELOG)
    names = [document.get(member) for member in members] if isinstance(document, dict) else []
    return next((name for name in names if isinstance(name, str) and name not in known), None)
