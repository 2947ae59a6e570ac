"""The Iceberg metadata that some Paimon tables write beside their own: its location, and the snapshot it describes.

The writer makes ``v<snapshot id>.metadata.json`` after each commit, with Paimon's snapshot and field ids. The
metadata may lag behind, for good if the options are removed; after a rollback it may describe deleted snapshots.

Source: Paimon ``IcebergOptions``, ``IcebergCommitCallback``. Version 0.9 had the one option
``metadata.iceberg-compatible``.
"""

from __future__ import annotations

from collections.abc import Mapping

from lakemuster.errors import FormatUnsupported
from lakemuster.metadata.snapshot import Snapshot

STORAGE = "metadata.iceberg.storage"
STORAGE_LOCATION = "metadata.iceberg.storage-location"
_COMPATIBLE = "metadata.iceberg-compatible"
_IDENTITY = "paimon-commit-identity"
_BESIDE, _APART = "table-location", "catalog-location"
_PLACES = {
    "table-location": _BESIDE,
    "hadoop-catalog": _APART,
    "hive-catalog": _APART,
    "rest-catalog": _APART,
}
_DATABASE = ".db"


def iceberg_root(root: str, options: Mapping[str, str]) -> str | None:
    """Return the folder above the ``metadata`` folder of a Paimon table's Iceberg metadata.

    Args:
        root: the table's location; some storages require it to end in ``<warehouse>/<database>.db/<table>``.
        options: the options of the table's current schema.

    Returns:
        the table's own root, or ``<warehouse>/iceberg/<database>/<table>``; None when the options enable none.

    Raises:
        FormatUnsupported: unknown options, or a table that is in no warehouse.
    """
    storage = options.get(STORAGE)
    if storage is None:
        return root if options.get(_COMPATIBLE, "").strip().lower() == "true" else None
    storage = storage.strip().lower()
    if storage == "disabled":
        return None
    if storage not in _PLACES:
        raise FormatUnsupported(f"{STORAGE} has the unknown value {storage!r}")
    place = options.get(STORAGE_LOCATION, _PLACES[storage]).strip().lower()
    if place not in (_BESIDE, _APART):
        raise FormatUnsupported(f"{STORAGE_LOCATION} has the unknown value {place!r}")
    return root if place == _BESIDE else _in_catalog(root, storage)


def _in_catalog(root: str, storage: str) -> str:
    rest, _, table = root.rstrip("/").rpartition("/")
    warehouse, _, database = rest.rpartition("/")
    if not warehouse or not database.endswith(_DATABASE) or database == _DATABASE:
        raise FormatUnsupported(
            f"{STORAGE} is {storage!r}, which needs a table of a warehouse: <warehouse>/<database>.db/<table>"
        )
    return f"{warehouse}/iceberg/{database.removesuffix(_DATABASE)}/{table}"


def owner_root(location: str) -> str | None:
    """Return the root of the Paimon table with Iceberg metadata at a catalog's location: reverse ``iceberg_root``."""
    levels = location.rstrip("/").rsplit("/", 3)
    if len(levels) < 4 or levels[1] != "iceberg" or not levels[0]:
        return None
    warehouse, _, database, table = levels
    return f"{warehouse}/{database}{_DATABASE}/{table}"


def is_made_of(view: Snapshot, snapshot: Snapshot) -> bool:
    """Return whether a snapshot of the Iceberg metadata was made from Paimon's snapshot of the same id.

    It was not if the table has been rolled back and the id given to another commit. Versions that do not record the
    commit set the time at which they write the metadata, which is after the commit.
    """
    identity = view.summary.get(_IDENTITY)
    if identity is None:
        return view.committed_at_ms >= snapshot.committed_at_ms
    extra = snapshot.extra
    parts = (extra.get("commit_user"), extra.get("commit_identifier"), snapshot.committed_at_ms)
    return identity == (extra.get("uuid") or ":".join(str(part) for part in parts))
