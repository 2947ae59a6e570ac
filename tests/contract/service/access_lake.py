"""A lake for requests of callers with all kinds of rights, whose tables can be recognized in any text.

Each table has a word of its own: the last level of its name, the name of its folder, of a column and of a property. A
text that reveals something about a table contains its word.
"""

from __future__ import annotations

import json
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import delete, update

from lakemuster import demo
from lakemuster.catalog.health import evaluate
from lakemuster.catalog.services import Services
from lakemuster.errors import TableNotFound
from lakemuster.index.orm_events import EventRow, EventSequenceRow
from lakemuster.index.tables import find_table
from lakemuster.metadata.names import Levels, format_name
from tests.unit.api.identity.access_model import CATALOGS

OWN = (
    ("shop",), ("shop", "eu"), ("shop", "eu", "web"), ("shop", "a.b"), ("sho",), ("web",), ("raw", "shop"), ("eu",),
    ("a.b",), (),
)  # fmt: skip
"""Namespaces of the server's own Iceberg tables; the empty one is that of a table whose name has one level."""
PAIMON = (("shop",), ("web", "eu"), ("a.b", "eu"), ("raw",), ("eu", "sho"))
ATTACHED = (("prod", "shop"), ("prod", "eu", "web"), ("shop2", "shop"), ("shop2", "raw"))
"""Namespaces of the tables of the attached catalogs."""
CONFINED = ("shop", "web", "eu")
"""Namespaces with an entry in the tokens file, which confines their tables to the folder of that name."""
WORD = re.compile(r"qzx[0-9]{2}wvk")
_SOURCE = "shop.db/stock/"
_OTHER_LETTERS = str.maketrans("aehoprsuw", "bfjkqtzvx")
_W = str.maketrans("wW", "yY")


@dataclass(frozen=True)
class Table:
    """A registered table.

    Attributes:
        location: a folder.
    """

    levels: Levels
    format: str
    location: str

    @property
    def name(self) -> str:
        return format_name(self.levels)


def missing_table(levels: Levels) -> Levels:
    """Return a name of the same length and namespace, similar in spelling, that no table has."""
    return (*levels[:-1], levels[-1].translate(_W))


def missing_level(level: str) -> str:
    """Return a word of the same length that is neither a level of a namespace nor a catalog."""
    return level.translate(_OTHER_LETTERS)


class AccessLake:
    """The tables, and the catalogs with the pointers of the attached tables.

    Attributes:
        spare: for each confined namespace, the location of an unregistered table.
    """

    def __init__(self, folder: Path) -> None:
        self.root = f"{folder}/lake"
        self._folder = folder
        writer = SqlCatalog("own", uri=f"sqlite:///{folder}/own.db", warehouse=f"file://{self.root}")
        self.tables: list[Table] = []
        for namespace in OWN:
            self._iceberg(writer, namespace, namespace or ("none",))
        for namespace in PAIMON:
            self._paimon(namespace)
        for catalog in CATALOGS:
            writer = SqlCatalog(catalog, uri=self._uri(catalog), warehouse=f"file://{self.root}")
            for namespace in ATTACHED:
                if namespace[0] == catalog:
                    self._iceberg(writer, namespace, namespace[1:])
        self.spare = {namespace: f"{self.root}/{namespace}/spare" for namespace in CONFINED}
        for location in self.spare.values():
            _copy_paimon(location, "spare")
        self.of_word = {table.levels[-1]: table for table in self.tables}

    @property
    def catalogs(self) -> dict[str, object]:
        """The setting ``CATALOGS``."""
        return {name: {"type": "sql", "uri": self._uri(name), "roots": [self.root]} for name in CATALOGS}

    def register(self, services: Services) -> None:
        """Register and index the unregistered tables."""
        known = {table.name for table in services.tables()}
        for table in self.tables:
            if table.name not in known:
                if table.levels[0] not in CATALOGS:
                    services.add(table.name, table.location, None, (), operator=True)
                services.refresh(table.name)
                evaluate(services, services.table(table.name).table_id)

    def leave_events(self, services: Services) -> None:
        """Register and remove a table in each namespace, which leaves events."""
        for namespace in dict.fromkeys(table.levels[:-1] for table in self.tables):
            if namespace[:1] not in {(catalog,) for catalog in CATALOGS}:
                name = format_name((*namespace, "old"))
                services.add(name, self.spare["shop"], None, (), operator=True)
                services.remove(name)

    def _uri(self, catalog: str) -> str:
        return f"sqlite:///{self._folder}/{catalog}.db"

    def _next(self, namespace: Levels, format: str) -> Table:
        levels = (*namespace, f"qzx{len(self.tables):02}wvk")
        self.tables.append(Table(levels, format, f"{self.root}/{'/'.join(levels)}"))
        return self.tables[-1]

    def _iceberg(self, writer: SqlCatalog, namespace: Levels, there: Levels) -> None:
        table = self._next(namespace, "iceberg")
        word = table.levels[-1]
        data = pa.table({word: pa.array(range(10), pa.int64())})
        writer.create_namespace_if_not_exists(there)
        place = f"file://{table.location}"
        made = writer.create_table((*there, word), data.schema, location=place, properties={word: word})
        for _ in range(2):
            made.append(data)

    def _paimon(self, namespace: Levels) -> None:
        table = self._next(namespace, "paimon")
        _copy_paimon(table.location, table.levels[-1])


def _copy_paimon(location: str, word: str) -> None:
    """Copy a table of the demo's lake without its data files, with a column of another name."""
    with zipfile.ZipFile(Path(demo.__file__).with_name("lake.zip")) as packed:
        for name in packed.namelist():
            if name.startswith(_SOURCE) and not name.endswith((".parquet", "/")):
                target = Path(location, name.removeprefix(_SOURCE))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(packed.read(name))
    schema = Path(location, "schema/schema-0")
    document = json.loads(schema.read_text())
    document["fields"][2]["name"] = document["options"][word] = document["comment"] = word
    schema.write_text(json.dumps(document))


def delete_events(services: Services, after: int) -> None:
    """Delete the events after an id, as if they had never been written."""
    with services.index.database.session() as session:
        session.execute(delete(EventRow).where(EventRow.id > after))
        session.execute(update(EventSequenceRow).values(last=after))


def is_registered(services: Services, levels: Levels) -> bool:
    """Return whether a table is registered."""
    with suppress(TableNotFound):
        find_table(services.index.database, format_name(levels))
        return True
    return False
