"""Prepare the demo: a small lake of real tables, with a separate index, so that it does not affect another index."""

from __future__ import annotations

from pathlib import Path

from lakemuster.catalog.services import Services
from lakemuster.cli.output import say
from lakemuster.cli.progress import working
from lakemuster.cli.text import printable
from lakemuster.demo import is_unpacked, unpack
from lakemuster.errors import CatalogError

FOLDER = Path(".lakemuster/demo")


def demo_settings() -> dict[str, object]:
    """Return settings that store all of the demo's data in its folder."""
    return {
        "database_url": f"sqlite:///{FOLDER / 'index.db'}",
        "segments_url": str(FOLDER / "segments"),
        "cache_dir": str(FOLDER / "cache"),
    }


def prepare_demo(services: Services) -> None:
    """Unpack the lake, register its tables and index them; existing data stays.

    Raises:
        CatalogError: the lake cannot be written or walked.
    """
    if not is_unpacked(FOLDER / "lake"):
        # The index belongs to another version, or to another folder, whose path the metadata contains.
        for table in services.tables():
            services.remove(table.name)
    folder = unpack(FOLDER / "lake")
    for found in services.discover(str(folder), None, (), operator=True):
        if found.outcome == "refused":
            say(printable(f"refused {found.name}: {found.reason}"))
    tables = services.tables()
    for table in tables:
        try:
            with working(table.name) as advance:
                services.refresh(table.name, advance)
        except CatalogError as error:
            say(printable(f"{table.name}: {error}"))
    say(f"The demo lake is in {folder}: {', '.join(table.name for table in tables)}.")
