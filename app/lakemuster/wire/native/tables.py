"""JSON models of registered tables and of the request to register one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from lakemuster.config import NanMode
from lakemuster.wire.model import Id, WireModel


class RewriteRule(WireModel):
    """Locations that begin with ``old`` are looked for under ``new``; the longest match wins."""

    old: str = Field(min_length=1, max_length=2048)
    new: str = Field(min_length=1, max_length=2048)


def _rules(given: object) -> object:
    """Convert every accepted form of rewrite rules to a list of rules."""
    if isinstance(given, Mapping):
        return [{"old": old, "new": new} for old, new in given.items()]
    if not isinstance(given, list):
        return given
    rules: list[object] = []
    for rule in given:
        old, equals, new = rule.partition("=") if isinstance(rule, str) else ("", "", "")
        rules.append({"old": old, "new": new} if equals else rule)
    return rules


Rules = Annotated[
    list[RewriteRule],
    BeforeValidator(
        _rules,
        json_schema_input_type=list[RewriteRule]
        | dict[str, str]
        | list[Annotated[str, Field(pattern="=", description="OLD=NEW")]],
    ),
]


class NewTable(WireModel):
    """A table to register."""

    name: str = Field(min_length=1, max_length=1000, description="Dotted; a level that holds a dot in backticks.")
    location: str = Field(min_length=1, max_length=2048, description="The table's root, or Iceberg's metadata.json.")
    format: Literal["iceberg", "paimon"] | None = Field(None, description="Told from the files when left out.")
    rewrite: Rules = Field(
        default_factory=list,
        max_length=20,
        description="For tables that were moved after they were written: rules, OLD to NEW, or OLD=NEW.",
    )


class TableOut(WireModel):
    """A registered table. What its metadata says is null until it was read once."""

    name: str
    format: Literal["iceberg", "paimon"]
    location: str = Field(description="As registered.")
    rewrite: list[RewriteRule]
    uuid: str | None
    format_version: int | None
    metadata_location: str | None = Field(description="Iceberg: the metadata file. Paimon: the latest snapshot file.")
    current_snapshot_id: Id | None = Field(description="Of main; null for a table without snapshots.")
    current_schema_id: int | None
    default_spec_id: int | None
    last_updated_at: str | None = Field(description="RFC 3339: the table's last change, as its writer recorded it.")
    checked_at: str | None = Field(description="RFC 3339: when the table's pointer was last looked at.")
    stale: str | None = Field(description="Why the newest state could not be read; null when all is well.")
    warnings: list[str] = Field(description="Why what is served may not be the table's current state.")


class TableSettingsOut(WireModel):
    """The server's settings that hold for a table."""

    staleness: float = Field(description="Seconds that its pointer may go without a look.")
    history: int = Field(description="Newest snapshots that a refresh indexes.")
    nan: NanMode = Field(description="What comparisons with NaN mean where a request does not say.")
    watch: float | None = Field(description="Seconds between two looks that nobody asks for; null: it is not watched.")


class TableDetails(TableOut):
    """A registered table with its properties and settings."""

    properties: dict[str, str]
    partition_keys: list[str] = Field(description="Names of the default spec's fields.")
    primary_keys: list[str] = Field(description="Paimon's primary key; Iceberg's identifier fields.")
    settings: TableSettingsOut
