"""Knowledge of tables from responses: names, snapshots, columns and their values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.replay.exchanges import Answer

_LEVEL = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")
MOST_VALUES = 40
"""Maximum number of values stored for one column."""


@dataclass(slots=True)
class Table:
    """The knowledge of a registered table.

    Attributes:
        columns: types by dotted name.
        values: bounds and partition values by column, in their JSON form.
        paths: paths of data files.
    """

    name: str
    format: str
    location: str
    snapshots: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[Any]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    manifests: list[str] = field(default_factory=list)
    partitions: list[Mapping[str, Any]] = field(default_factory=list)
    system: list[str] = field(default_factory=list)

    @property
    def levels(self) -> list[str]:
        """The levels of the name."""
        return [match[1].replace("``", "`") if match[1] else match[2] for match in _LEVEL.finditer(self.name)]

    @property
    def native(self) -> str:
        """The table's path in the native API."""
        return f"/api/v1/tables/{quote(self.name, safe='')}"

    @property
    def namespace(self) -> str:
        """The namespace's path in the Iceberg REST catalog."""
        return "/iceberg/v1/namespaces/" + quote("\x1f".join(self.levels[:-1]), safe="")

    @property
    def iceberg(self) -> str:
        """The table's path in the Iceberg REST catalog."""
        return f"{self.namespace}/tables/{quote(self.levels[-1], safe='')}"

    @property
    def database(self) -> str:
        """The database's path in the Paimon REST catalog."""
        return "/paimon/v1/lakemuster/databases/" + quote(".".join(self.levels[:-1]), safe="")

    @property
    def paimon(self) -> str:
        """The table's path in the Paimon REST catalog."""
        return f"{self.database}/tables/{quote(self.levels[-1], safe='')}"

    def learn(self, answer: Answer) -> None:
        """Add the content of a page of one of the table's lists."""
        if answer.status != 200 or not isinstance(answer.document, dict):
            return
        page: dict[str, Any] = answer.document
        for row in page.get("snapshots", ()):
            _add(self.snapshots, row.get("snapshot_id"))
            _add(self.times, row.get("committed_at"))
        for row in page.get("refs", ()):
            _add(self.refs, row.get("name"))
        for row in page.get("schemas", ()):
            if row.get("current", True) and isinstance(row.get("fields"), list):
                self.columns.update(_columns(row["fields"], ""))
        for row in page.get("manifests", ()):
            _add(self.manifests, row.get("manifest_path"))
        for row in page.get("system", ()):
            _add(self.system, row.get("name"))
        for row in page.get("files", ()):
            self._learn_file(row)
        for row in page.get("partitions", ()):
            self._learn_values(row.get("partition"))
            if isinstance(row.get("partition"), dict) and len(self.partitions) < MOST_VALUES:
                self.partitions.append(row["partition"])

    def _learn_file(self, row: Mapping[str, Any]) -> None:
        _add(self.paths, row.get("file_path"))
        for key in ("lower_bounds", "upper_bounds", "partition", "min_key", "max_key"):
            self._learn_values(row.get(key))

    def _learn_values(self, values: object) -> None:
        for name, value in values.items() if isinstance(values, dict) else ():
            known = self.values.setdefault(name, [])
            if value is not None and value not in known and len(known) < MOST_VALUES:
                known.append(value)


def tables_of(page: Answer) -> list[Table]:
    """Return the tables in a page of the native API's list."""
    return [Table(row["name"], row["format"], row["location"]) for row in page.get("tables") or ()]


def token_of(answer: Answer) -> str | None:
    """Return the token of the next page in a response of any API."""
    named = [answer.get(key) for key in ("next_page_token", "next-page-token", "nextPageToken")]
    return next((token for token in named if isinstance(token, str) and token), None)


def _add(known: list[str], value: object) -> None:
    if isinstance(value, str) and value not in known:
        known.append(value)


def _columns(fields: list[Mapping[str, Any]], prefix: str) -> Iterator[tuple[str, str]]:
    for one in fields:
        name, kind = prefix + str(one.get("name")), one.get("type")
        if isinstance(kind, dict) and isinstance(kind.get("fields"), list):
            yield name, "nested"
            yield from _columns(kind["fields"], name + ".")
        else:
            yield name, kind if isinstance(kind, str) else f"nested {json.dumps(kind)[:20]}"
