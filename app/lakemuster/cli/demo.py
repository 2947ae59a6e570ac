"""The demo: a small lake of real tables, with an index of its own, so that nobody's index meets it."""

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
    """Settings that keep everything of the demo in its folder."""
    return {
        "database_url": f"sqlite:///{FOLDER / 'index.db'}",
        "segments_url": str(FOLDER / "segments"),
        "cache_dir": str(FOLDER / "cache"),
    }


def prepare_demo(services: Services) -> None:
    """Unpack the lake, register its tables and index them; what is there already stays.

    Raises:
        CatalogError: the lake cannot be written or walked.
    """
    if not is_unpacked(FOLDER / "lake"):
        # What is indexed is of another version, or of another folder, which its metadata names.
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
