"""Convert records of tables to documents of the native API, for routes and for the command line on a local index."""

from __future__ import annotations

from dataclasses import asdict

from lakemuster.index.table_record import FIGURES, UNKNOWN_FIGURES, TableFigures, TableRecord
from lakemuster.ingest.pointer_doubts import warnings_of
from lakemuster.metadata.health import STATUSES
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.table_settings import ReadinessRule, TableRules
from lakemuster.upstream.locations import split_catalog_location
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import json_integer
from lakemuster.wire.native.tables import ReadinessRuleOut, RewriteRule, TableDetails, TableOut


def table_out(record: TableRecord, figures: TableFigures = UNKNOWN_FIGURES, health: int | None = None) -> TableOut:
    """Return a row of ``/tables``; ``health`` is the rank of the table's health."""
    return TableOut.model_validate(_common(record, figures, record.stale_reason, health))


def table_document(record: TableRecord, figures: TableFigures, health: int | None) -> dict[str, object]:
    """Return the JSON of :func:`table_out` without the model, which takes most of the time of a page of tables."""
    found = _common(record, figures, record.stale_reason, health)
    snapshot_id = record.current_snapshot_id
    found["rewrite"] = [{"old": old, "new": new} for old, new in record.rewrites]
    found["current_snapshot_id"] = None if snapshot_id is None else str(snapshot_id)
    for name in FIGURES[:-1]:
        value = getattr(figures, name)
        found[name] = None if value is None else json_integer(value)
    return found


def table_details(
    record: TableRecord,
    metadata: TableMetadata | None,
    stale: str | None,
    rules: TableRules,
    figures: TableFigures = UNKNOWN_FIGURES,
    health: int | None = None,
) -> TableDetails:
    """Return one table; ``metadata`` is None if it could never be read."""
    return TableDetails.model_validate(
        {
            **_common(record, figures, stale, health),
            "properties": {} if metadata is None else dict(metadata.properties),
            "partition_keys": [] if metadata is None else _partition_keys(metadata),
            "primary_keys": [] if metadata is None else _primary_keys(metadata),
            "settings": {**asdict(rules), "partition_ready": list(map(_rule, rules.partition_ready))},
        }
    )


def _common(record: TableRecord, figures: TableFigures, stale: str | None, health: int | None) -> dict[str, object]:
    attached = split_catalog_location(record.location)
    return {
        "name": record.name,
        "catalog": None if attached is None else attached[0],
        "format": record.format,
        "location": record.location,
        "rewrite": [RewriteRule(old=old, new=new) for old, new in record.rewrites],
        "uuid": record.uuid,
        "format_version": record.format_version,
        "metadata_location": record.metadata_location,
        "current_snapshot_id": record.current_snapshot_id,
        "current_schema_id": record.current_schema_id,
        "default_spec_id": record.default_spec_id,
        "last_updated_at": _instant(record.last_updated_ms),
        "checked_at": _instant(record.checked_at_ms),
        "stale": stale,
        "warnings": list(warnings_of(record.pointer)),
        "total_records": figures.total_records,
        "data_files": figures.data_files,
        "total_bytes": figures.total_bytes,
        "delete_files": figures.delete_files,
        "snapshots": figures.snapshots,
        "last_committed_at": _instant(figures.last_committed_at_ms),
        "health": None if health is None else STATUSES[health],
    }


def _instant(at_ms: int | None) -> str | None:
    return None if at_ms is None else format_instant(at_ms)


def _rule(rule: ReadinessRule) -> ReadinessRuleOut:
    return ReadinessRuleOut.model_validate({**rule.model_dump(), "name": rule.title, "time": list(rule.time)})


def _partition_keys(metadata: TableMetadata) -> list[str]:
    return [field.name for spec in metadata.specs if spec.spec_id == metadata.default_spec_id for field in spec.fields]


def _primary_keys(metadata: TableMetadata) -> list[str]:
    for schema in metadata.schemas:
        if schema.schema_id == metadata.current_schema_id:
            if schema.primary_keys:
                return list(schema.primary_keys)
            return [schema.names[i] for i in schema.identifier_field_ids if i in schema.names]
    return []
