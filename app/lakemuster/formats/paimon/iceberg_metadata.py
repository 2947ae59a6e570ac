"""The Iceberg metadata that a Paimon table writes beside its own: where it is, and which snapshot it is of.

The writer makes ``v<snapshot id>.metadata.json`` after each commit, with the ids of Paimon's snapshots and fields.
It may stay behind, for good if its options are taken away; after a rollback it may be of snapshots that are no more.

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
    """The folder above the ``metadata`` folder of a Paimon table's Iceberg metadata.

    Args:
        root: the table's location; of the parts, ``<warehouse>/<database>.db/<table>``, some storages need all.
        options: of the table's current schema.

    Returns:
        the table's own root, or ``<warehouse>/iceberg/<database>/<table>``; None when the options ask for none.

    Raises:
        FormatUnsupported: options of another version, or a table that is in no warehouse.
    """
    storage = options.get(STORAGE)
    if storage is None:
        return root if options.get(_COMPATIBLE, "").strip().lower() == "true" else None
    storage = storage.strip().lower()
    if storage == "disabled":
        return None
    if storage not in _PLACES:
        raise FormatUnsupported(f"{STORAGE} is {storage!r}, which is not known")
    place = options.get(STORAGE_LOCATION, _PLACES[storage]).strip().lower()
    if place not in (_BESIDE, _APART):
        raise FormatUnsupported(f"{STORAGE_LOCATION} is {place!r}, which is not known")
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
    """The Paimon table that would have its Iceberg metadata at a location of a catalog: ``iceberg_root`` reversed."""
    levels = location.rstrip("/").rsplit("/", 3)
    if len(levels) < 4 or levels[1] != "iceberg" or not levels[0]:
        return None
    warehouse, _, database, table = levels
    return f"{warehouse}/{database}{_DATABASE}/{table}"


def is_made_of(view: Snapshot, snapshot: Snapshot) -> bool:
    """Whether a snapshot of the Iceberg metadata was made of Paimon's snapshot of the same id.

    It was not when the table was rolled back since, and the id given to another commit. Versions that do not record
    of which commit it was made take the time at which they make it, which is later than the commit's.
    """
    identity = view.summary.get(_IDENTITY)
    if identity is None:
        return view.committed_at_ms >= snapshot.committed_at_ms
    extra = snapshot.extra
    parts = (extra.get("commit_user"), extra.get("commit_identifier"), snapshot.committed_at_ms)
    return identity == (extra.get("uuid") or ":".join(str(part) for part in parts))
