"""JSON models of registered tables and of the request to register one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from lakemuster.metadata.format_names import format_names
from lakemuster.table_settings import NanMode
from lakemuster.wire.model import Id, InstantText, Long, WireModel
from lakemuster.wire.native.thresholds import HealthSettingsOut, HealthStatus


def _known_format(given: object) -> object:
    names = format_names()
    if given in names:
        return given
    *others, last = map(repr, names)
    raise PydanticCustomError(
        "literal_error", "Input should be {expected}", {"expected": f"{', '.join(others)} or {last}"}
    )


FormatName = Annotated[
    str, BeforeValidator(_known_format), WithJsonSchema({"type": "string", "enum": list(format_names())})
]
"""The name of a table format that this process knows."""


class RewriteRule(WireModel):
    """Locations with the prefix `old` are read with the prefix `new` instead; the longest match wins."""

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
    """A request to register a table."""

    name: str = Field(
        min_length=1,
        max_length=1000,
        description="Dotted name, `ns.table`; a level that contains a dot is in backticks.",
    )
    location: str = Field(
        min_length=1, max_length=2048, description="The table's root folder, or an Iceberg `metadata.json` file."
    )
    format: FormatName | None = Field(None, description="The table format. Absent: detected from the files.")
    rewrite: Rules = Field(
        default_factory=list,
        max_length=20,
        description="Rewrite rules for tables that were moved after they were written: an object from old to "
        "new prefixes, or "
        "a list of rules or of `OLD=NEW`. Absent: none.",
    )


class TableOut(WireModel):
    """A registered table. Fields from its metadata are null until the metadata was read once.

    `total_records`, `data_files`, `total_bytes` and `delete_files` are sums over the live files of the current
    snapshot of main, and null until it is indexed.
    """

    name: str
    catalog: str | None = Field(description="The attached catalog that the table belongs to; null for our own tables.")
    format: FormatName
    location: str = Field(description="The location as registered, before rewrites.")
    rewrite: list[RewriteRule]
    uuid: str | None
    format_version: int | None
    metadata_location: str | None = Field(
        description="Iceberg: the current metadata file. Paimon: the latest snapshot file."
    )
    current_snapshot_id: Id | None = Field(
        description="Current snapshot of the branch main; null for a table without snapshots."
    )
    current_schema_id: int | None
    default_spec_id: int | None
    last_updated_at: InstantText | None = Field(
        description="Time of the table's last change as recorded by its writer, RFC 3339."
    )
    checked_at: InstantText | None = Field(
        description="Time when the table's pointer was last read, RFC 3339; null before the first time."
    )
    stale: str | None = Field(description="Why the table's newest state could not be read; null if it could.")
    warnings: list[str] = Field(description="Reasons why the served state may not be the table's current one.")
    total_records: Long | None = Field(
        description="Rows of the data files as their writers counted them, deleted rows included."
    )
    data_files: Long | None
    total_bytes: Long | None = Field(
        description="Bytes of data and delete files; of a deletion vector, only its own bytes in the Puffin file."
    )
    delete_files: Long | None = Field(
        description="Iceberg's delete files, deletion vectors included. Paimon's vectors are in index files: 0."
    )
    snapshots: Long | None = Field(description="Number of snapshots of main in the table's metadata.")
    last_committed_at: InstantText | None = Field(description="Time of the current snapshot's commit, RFC 3339.")
    health: HealthStatus | None = Field(
        description="The worst status of the components of the table's health; null until it is computed."
    )


class ReadinessRuleOut(WireModel):
    """A rule by which a partition is complete: all conditions that are given must hold."""

    name: str
    quiet: float | None = Field(description="Seconds without a commit to the partition.")
    watermark: str | None = Field(description="Property of the snapshot's summary, not before the partition's end.")
    sibling: bool = Field(description="Whether a later partition must have records.")
    time: list[str] = Field(description="Partition fields of the partition's time; empty: the first that has one.")


class TableSettingsOut(WireModel):
    """The settings that apply to a table."""

    staleness: float = Field(description="Maximum age of the last read of the table's pointer, in seconds.")
    history: int = Field(description="Number of newest snapshots that a refresh indexes.")
    nan: NanMode = Field(description="How NaN compares if a request does not set `nan`.")
    watch: float | None = Field(
        description="Interval of background refreshes in seconds; null: the table is not watched."
    )
    target_file_size: Long | None = Field(
        description="Size in bytes that data files should have; null: the one that the table's properties name."
    )
    partition_ready: list[ReadinessRuleOut] = Field(
        description="Rules by which a partition is complete, which the event `partition.ready` then tells."
    )
    spark_catalog: str | None = Field(
        description="Name of the Spark catalog in remedies; null: the attached catalog's, or `spark_catalog`."
    )
    health: HealthSettingsOut = Field(description="Thresholds of the table's health.")


class TableDetails(TableOut):
    """A registered table with its properties and settings."""

    properties: dict[str, str]
    partition_keys: list[str] = Field(description="Names of the partition fields of the default spec.")
    primary_keys: list[str] = Field(description="Columns of Paimon's primary key, or Iceberg's identifier fields.")
    settings: TableSettingsOut


class NamespaceOut(WireModel):
    """A namespace that holds tables. Tables of namespaces below it are not counted.

    The figures are sums over the tables whose figures are known, and exact if `unknown_tables` is 0.
    """

    name: str = Field(description="Dotted levels; empty for tables whose name has one level.")
    catalog: str | None = Field(description="The attached catalog that has the namespace; null for our own.")
    tables: int = Field(description="Number of tables.")
    unknown_tables: int = Field(description="How many of them have figures that are not known yet.")
    total_records: Long | None
    data_files: Long | None
    total_bytes: Long | None
    delete_files: Long | None
    snapshots: Long | None
    last_committed_at: InstantText | None = Field(description="Time of the latest current snapshot's commit, RFC 3339.")
