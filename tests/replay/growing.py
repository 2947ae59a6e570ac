"""Tables that grow during the requests: copies of real tables whose later snapshots are added one by one.

In both formats a small file makes a snapshot current: the table metadata, or the snapshot file. A young table has
only the first of these files, and all files that later snapshots refer to.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

GROW = "GROW"
"""The method of an entry that is not an HTTP request but grows a table, in a recording and in its replay."""

_DEMO = Path("demo/.lakemuster/demo/lake")
_SOURCES = {
    "stock": _DEMO / "shop.db" / "stock",
    "clicks": _DEMO / "web.db" / "clicks",
    "orders": _DEMO / "shop.db" / "orders",
    "vectors": Path("lake/paimon/parquet/pk_table_scan_and_read_dv.db/pk_table_scan_and_read_dv"),
    "evolved": Path("lake/paimon/parquet/pk_table_with_alter_table.db/pk_table_with_alter_table"),
}
_HEADS = re.compile(r"(?:snapshot-|v)?(?P<number>[0-9]+)(?:-[0-9a-f-]{36})?(?:\.metadata\.json)?")
_HINTS = ("LATEST", "EARLIEST", "version-hint.text")


@dataclass(frozen=True, slots=True)
class Growing:
    """A table that grows.

    Attributes:
        recorded: the location in an Iceberg table's metadata.
        steps: the number of times that it grows.
    """

    name: str
    format: str
    location: str
    recorded: str
    steps: int


def locations(folder: Path) -> list[Growing]:
    """Return the growing tables below a recording's folder."""
    return [
        Growing(
            name,
            "paimon" if (folder / source / "snapshot").is_dir() else "iceberg",
            str(folder / "growing" / name),
            f"file://{folder / source}",
            len(_heads(folder / source)) - 1,
        )
        for name, source in _SOURCES.items()
    ]


def make_young(folder: Path) -> None:
    """Reset all tables to their first snapshot."""
    for name in _SOURCES:
        _make_young(folder, name)


def grow(folder: Path, target: str) -> str:
    """Reset or grow a table, for the target ``/NAME/young`` or ``/NAME/next``; return the name of the added file."""
    _, name, what = target.split("/")
    if what == "young":
        _make_young(folder, name)
        return what
    source, table = folder / _SOURCES[name], folder / "growing" / name
    for head in _heads(source):
        copy = table / head.relative_to(source)
        if not copy.exists():
            shutil.copy2(head, copy)
            return head.name
    return "grown up"


def _make_young(folder: Path, name: str) -> None:
    source, table = folder / _SOURCES[name], folder / "growing" / name
    later = {head.name for head in _heads(source)[1:]}
    shutil.rmtree(table, ignore_errors=True)
    shutil.copytree(source, table, ignore=lambda _, names: [one for one in names if one in later or one in _HINTS])


def _heads(table: Path) -> list[Path]:
    """Return the files that make snapshots current, oldest first."""
    found = {path: match for path in _head_files(table) if (match := _HEADS.fullmatch(path.name))}
    return sorted(found, key=lambda path: int(found[path]["number"]))


def _head_files(table: Path) -> list[Path]:
    folder = table / "snapshot"
    return list(folder.iterdir()) if folder.is_dir() else list((table / "metadata").glob("*.metadata.json"))
