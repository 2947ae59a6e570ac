"""Comparison of Lakemuster's plans with those of Paimon's Java client, on a table that both read."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tests.journey.paimon_java.predicates import Predicate, Writer
from tests.journey.paimon_java.tables import Kind
from tests.journey.servers import Running
from tests.paimon_java import Paimon

ALONE = {"source.split.target-size": "1 b", "source.split.open-file-cost": "1 b"}
"""Options that make every section of a merge tree a split: Java reports only per split whether files are raw."""

Reason = Callable[["Table", list[list[Any]]], bool]

# Accepted reasons for a plan with fewer files than Java's, as tests of the table and the predicate's leaves.
LESS: dict[str, Reason] = {
    "a null count tells of IS NULL where there are no bounds, which Java asks for first": lambda _, leaves: any(
        leaf[0] == "is null" for leaf in leaves
    ),
    "conjuncts that pin a bucket's key twice have no bucket in common, which Java does not see": lambda table, leaves: (
        sum(leaf[0] in {"=", "in"} and leaf[1] in table.bucket_key for leaf in leaves) > len(table.bucket_key)
    ),
    "Java asks nothing about a column of another type of files of before, and then nothing of an OR around it": (
        lambda table, leaves: any(leaf[1] in table.retyped for leaf in leaves)
    ),
    "Java's bitmap index lets nulls match what is not a value": lambda table, leaves: any(
        leaf[0] in {"<>", "not in"} and leaf[1] in table.options.get("file-index.bitmap.columns", "").split(",")
        for leaf in leaves
    ),
}
# Accepted reasons for a plan with more files.
MORE: dict[str, Reason] = {
    "a bound that is NaN or leaves NaN out tells us nothing; Java puts it above all": lambda table, leaves: any(
        not leaf[0].startswith("is ") and table.types[leaf[1]] in {"FLOAT", "DOUBLE"} for leaf in leaves
    ),
    "indexes that were written later may be of other columns; Java loses rows by them": lambda table, _: (
        table.kind == "indexed_anew"
    ),
    "an index of a column that has changed its place since is not asked": lambda table, leaves: (
        table.kind == "indexed_evolved" and any(leaf[1] in {"title", "code", "local", "empty"} for leaf in leaves)
    ),
}


class Table:
    """A table written by another engine and served by Lakemuster."""

    kind: str

    def __init__(self, kind: str, java: Paimon, server: Running, location: Path, catalog: str = "plain") -> None:
        self.kind, self.java, self.server, self.location, self.catalog = kind, java, server, location, catalog
        server.post("/tables", {"name": f"db.{kind}", "location": str(location)}, 201)

    def ask(self, action: str, **arguments: Any) -> Any:
        """Return the result of an action of the Java process on the table."""
        return self.java.ask(action, table=self.kind, **{"catalog": self.catalog, **arguments})

    def plan(self, **question: Any) -> list[dict[str, Any]]:
        """Return the files of Lakemuster's plan."""
        files: list[dict[str, Any]] = self.server.post(
            f"/tables/db.{self.kind}/plan", {"page_size": 10_000, **question}
        )["files"]
        return files

    @cached_property
    def types(self) -> dict[str, str]:
        """The table's columns and their types."""
        return dict(self.ask("columns"))

    @cached_property
    def schemas(self) -> list[dict[str, Any]]:
        """The table's schemas, oldest first."""
        paths = sorted((self.location / "schema").glob("schema-*"), key=lambda path: int(path.name[7:]))
        return [json.loads(path.read_text()) for path in paths]

    @property
    def schema(self) -> dict[str, Any]:
        """The newest schema."""
        return self.schemas[-1]

    @cached_property
    def retyped(self) -> set[str]:
        """The columns whose type has changed."""
        former = {(field["id"], str(field["type"])) for schema in self.schemas for field in schema["fields"]}
        kinds = Counter(number for number, _ in former)
        return {field["name"] for field in self.schema["fields"] if kinds[field["id"]] > 1}

    @property
    def options(self) -> dict[str, str]:
        """The options of the newest schema."""
        found: dict[str, str] = self.schema["options"]
        return found

    @cached_property
    def bucket_key(self) -> list[str]:
        """The columns whose hash determines a row's bucket."""
        stated = self.options.get("bucket-key")
        partition = self.schema["partitionKeys"]
        return stated.split(",") if stated else [n for n in self.schema["primaryKeys"] if n not in partition]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """All rows, as Java reads them."""
        found: list[list[Any]] = self.ask("rows")
        return found

    @cached_property
    def snapshots(self) -> list[int]:
        """The ids of the main branch's snapshots."""
        return sorted(int(row[0]) for row in self.ask("rows", system="snapshots"))

    def predicates(self, number: int) -> list[Predicate]:
        """Return random predicates; the seed depends on the table alone."""
        writer = Writer(self.ask("columns"), self.rows, zlib.crc32(self.kind.encode()))
        return [writer.predicate() for _ in range(number)]


def names(files: list[dict[str, Any]]) -> set[str]:
    return {file["file_name"] for file in files}


def named(splits: list[dict[str, Any]]) -> set[str]:
    return {file["name"] for split in splits for file in split["files"]}


def unexplained_difference(table: Table, predicate: Predicate, ours: set[str], theirs: set[str]) -> str:
    """Describe an unexplained difference between the files of both plans; empty if there is none."""
    for text, found, reasons in (("more", ours - theirs, MORE), ("less", theirs - ours, LESS)):
        if found and not any(reason(table, predicate.leaves) for reason in reasons.values()):
            return f"{len(found)} {text} than Java, and nothing says why"
    return ""


def held_against_java(table: Table, number: int) -> bool:
    """Compare the plans of random predicates with Java's plans and rows; return whether some row matched."""
    asked = table.predicates(number)
    ours = [table.plan(filter=predicate.sql) for predicate in asked]
    theirs = [set(plan) for plan in table.ask("plans", predicates=[predicate.java for predicate in asked])]
    read = [[(file["file_name"], file["raw_convertible"]) for file in plan] for plan in ours]
    rows = table.ask("missing", predicates=[predicate.java for predicate in asked], plans=read)
    wrong = {}
    for predicate, plan, other, (missing, surplus, _) in zip(asked, ours, theirs, rows, strict=True):
        if missing or surplus:
            wrong[predicate.sql] = f"rows: {missing} missing, {surplus} that are not there"
        elif unexplained := unexplained_difference(table, predicate, names(plan), other):
            wrong[predicate.sql] = unexplained
    assert not wrong, json.dumps(wrong, indent=1)
    return any(matching for _, _, matching in rows)


def files_of_java(table: Table) -> dict[str, object]:
    """Return bucket, level, raw-convertibility and deletion vector of every file of Java's plan."""
    found: dict[str, object] = {}
    for split in table.ask("splits", options=ALONE):
        for file in split["files"]:
            vector = file.get("vector")
            place = vector and [vector["path"].removeprefix("file:"), *list(vector.values())[1:]]
            found[file["name"]] = (split["bucket"], file["level"], split["raw"], place)
    return found


def files_of_ours(table: Table) -> dict[str, object]:
    """Return the same properties of the files of Lakemuster's plan."""
    found: dict[str, object] = {}
    for file in table.plan():
        vector = file["deletion_vector"]
        place = vector and [vector["file_path"], *list(vector.values())[1:]]
        found[file["file_name"]] = (file["bucket"], file["level"], file["raw_convertible"], place)
    return found


def tables_written(
    java: Paimon, server: Running, kinds: Mapping[str, Kind], name_of: Callable[[str], str]
) -> Callable[[str], Table]:
    """Return a function that returns a table by its kind, and has Java write it at the first call."""

    @cache
    def table(kind: str) -> Table:
        made, name = kinds[kind], name_of(kind)
        java.ask("create", **made.created(name))
        for action, arguments in made.steps:
            java.ask(action, table=name, **arguments)
        return Table(name, java, server, java.lake / "db.db" / name)

    return table
