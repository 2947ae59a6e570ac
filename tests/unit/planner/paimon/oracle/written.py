"""Write tables as Paimon does: schemas, one snapshot, its lists, manifests, and ranges of deletion vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.unit.formats.paimon.rows import EMPTY, binary_row
from tests.unit.formats.paimon.writer import (
    entry,
    index_manifest,
    indexed,
    listed,
    manifest,
    manifest_list,
    stats,
)
from tests.unit.planner.paimon.oracle.indexes import embedded
from tests.unit.planner.paimon.oracle.model import Column, DataFile, Entry, Partition, Statistics, Table
from tests.unit.planner.paimon.oracle.values import chance, declared, internal, ordered

LIST_MEMBERS = (7, 11, 13, 15, 15, 15)
"""Numbers of fields of a manifest list, of Paimon 0.4, 1.1, 1.4 and 2.1."""


def write(rng: Random, table: Table, folder: Path) -> None:
    """Write a table at its last snapshot to a folder."""
    for name in ("schema", "snapshot", "manifest"):
        (folder / name).mkdir(parents=True)
    for version in table.versions:
        (folder / "schema" / f"schema-{version.number}").write_text(json.dumps(schema_document(table, version.number)))
    commits = table.commits
    delta = commits[-1:] if commits and chance(rng, 70) else []
    base = rewritten(rng, commits[: len(commits) - len(delta)])
    members = rng.choice(LIST_MEMBERS)
    for role, groups in (("base", base), ("delta", delta)):
        rows = [
            row
            for number, group in enumerate(groups)
            for row in manifests(rng, table, folder, f"{role}-{number}", group)
        ]
        (folder / "manifest" / f"manifest-list-{role}").write_bytes(manifest_list(*rows, members=members))
    number = max(len(commits), 1)
    snapshot = {
        "version": 3,
        "id": number,
        "schemaId": table.current.number,
        "baseManifestList": "manifest-list-base",
        "deltaManifestList": "manifest-list-delta",
        "changelogManifestList": None,
        "commitUser": "oracle",
        "commitIdentifier": 1,
        "commitKind": "APPEND",
        "timeMillis": 1,
        "totalRecordCount": sum(len(file.records) for file in table.live),
        "deltaRecordCount": sum((1 if a else -1) * len(f.records) for group in delta for a, f in group),
    }
    if table.vectors:
        snapshot["indexManifest"] = "index-manifest-0"
        (folder / "manifest" / "index-manifest-0").write_bytes(index_manifest(*vector_rows(rng, table)))
    (folder / "snapshot" / f"snapshot-{number}").write_text(json.dumps(snapshot))
    for hint in ("LATEST", "EARLIEST"):
        (folder / "snapshot" / hint).write_text(str(number))


def schema_document(table: Table, number: int) -> dict[str, Any]:
    version = table.versions[number]
    names = {column.field_id: column.name for column in version.columns}
    primary = [names[i] for i in (*table.partition, *table.keys)] if table.keys else []
    return {
        "version": 3,
        "id": number,
        "fields": [
            {
                "id": column.field_id,
                "name": column.name,
                "type": declared(column.type) + (" NOT NULL" if column.field_id in table.keys else ""),
            }
            for column in version.columns
        ],
        "highestFieldId": max(column.field_id for v in table.versions for column in v.columns),
        "partitionKeys": [names[i] for i in table.partition],
        "primaryKeys": primary,
        "options": table.options,
        "timeMillis": 1,
    }


def rewritten(rng: Random, commits: Sequence[list[Entry]]) -> list[list[Entry]]:
    """Return commits in random order, some neighbours merged without entries that they add and delete."""
    found: list[list[Entry]] = []
    rest = list(commits)
    while rest:
        count = rng.choice([1, 1, len(rest)])
        group = [one for commit in rest[:count] for one in commit]
        rest = rest[count:]
        if count > 1 or chance(rng, 20):
            dead = {file.identity for added, file in group if not added}
            new = {file.identity for added, file in group if added}
            group = [(added, file) for added, file in group if file.identity not in (dead & new)]
        found.append(group)
    rng.shuffle(found)
    return found


def manifests(rng: Random, table: Table, folder: Path, name: str, entries: list[Entry]) -> list[dict[str, Any]]:
    """Write entries to one or more manifests; return their rows of the manifest list."""
    rows = []
    rest, number = list(entries), 0
    while rest:
        count = rng.choice([len(rest), len(rest), rng.randrange(1, len(rest) + 1)])
        some, rest = rest[:count], rest[count:]
        data = manifest(*(record(rng, table, *one) for one in some))
        own = f"manifest-{name}-{number}"
        (folder / "manifest" / own).write_bytes(data)
        rows.append(header(table, own, len(data), some))
        number += 1
    return rows


def header(table: Table, name: str, size: int, entries: list[Entry]) -> dict[str, Any]:
    files = [file for _, file in entries]
    first = [file.first_row_id for file in files]
    rows = None not in first
    return listed(
        name,
        _FILE_SIZE=size,
        _NUM_ADDED_FILES=sum(added for added, _ in entries),
        _NUM_DELETED_FILES=sum(not added for added, _ in entries),
        _PARTITION_STATS=partition_stats(table, [file.partition for file in files]),
        _SCHEMA_ID=max(file.version for file in files),
        _MIN_BUCKET=min(file.bucket for file in files),
        _MAX_BUCKET=max(file.bucket for file in files),
        _MIN_LEVEL=min(file.level for file in files),
        _MAX_LEVEL=max(file.level for file in files),
        _MIN_ROW_ID=min(file.row_ids.start for file in files) if rows else None,
        _MAX_ROW_ID=max(file.row_ids.stop - 1 for file in files) if rows else None,
        _TOTAL_BUCKETS=common([file.total_buckets for file in files]),
    )


def common(counts: list[int]) -> int | None:
    return counts[0] if len(set(counts)) == 1 and counts[0] > 0 else None


def partition_stats(table: Table, partitions: list[Partition]) -> dict[str, Any]:
    columns = [column for i in table.partition if (column := table.current.by_id(i))]
    lower, upper, nulls = [], [], []
    for place in range(len(columns)):
        held = [partition[place] for partition in partitions if partition[place] is not None]
        low, high = ordered(held) if held else (None, None)
        lower.append(low)
        upper.append(high)
        nulls.append(len(partitions) - len(held))
    types = [declared(column.type) for column in columns]
    return stats(types, lower, upper, nulls)


def record(rng: Random, table: Table, added: bool, file: DataFile) -> dict[str, Any]:
    """Return one entry of a manifest; a DELETE may lack statistics."""
    version = table.versions[file.version]
    columns = {column.field_id: column for column in version.columns}
    dropped = not added and chance(rng, 50)
    dense = () if dropped else file.dense
    if dense is not None:
        places: list[Column | None] = [columns[i] for i in dense]
    elif file.written is not None:
        by_name = {column.name: column for column in version.columns}
        places = [by_name.get(name) for name in file.written]
    else:
        places = list(version.columns)
    keys = [columns[i] for i in table.keys]
    ordered_keys = sorted(
        (tuple(r.values[i] for i in table.keys) for r in file.records),
        key=lambda key: tuple(v.encode() if isinstance(v, str) else v for v in key),
    )
    key_types = [declared(column.type) for column in keys]
    ends = [binary_row(key_types, [internal(v) for v in key]) for key in (ordered_keys[0], ordered_keys[-1])]
    partition = [declared(c.type) for i in table.partition if (c := table.current.by_id(i))]
    return entry(
        file.name,
        _KIND=0 if added else 1,
        _PARTITION=binary_row(partition, file.partition) if partition else EMPTY,
        _BUCKET=file.bucket,
        _TOTAL_BUCKETS=file.total_buckets,
        _FILE_SIZE=file.size,
        _ROW_COUNT=len(file.records),
        _MIN_KEY=ends[0],
        _MAX_KEY=ends[1],
        _KEY_STATS=simple_stats(keys, file.key_statistics),
        _VALUE_STATS=simple_stats(places, file.statistics),
        _MIN_SEQUENCE_NUMBER=min((r.sequence for r in file.records), default=0) or file.sequence,
        _MAX_SEQUENCE_NUMBER=max((r.sequence for r in file.records), default=0) or file.sequence,
        _SCHEMA_ID=file.version,
        _LEVEL=file.level,
        _EXTRA_FILES=list(file.extra_files),
        _EMBEDDED_FILE_INDEX=embedded(table, file),
        _DELETE_ROW_COUNT=file.gone if file.deleted_known else None,
        _FILE_SOURCE=0 if file.level == 0 else 1,
        _VALUE_STATS_COLS=None if dense is None else [columns[i].name for i in dense],
        _FIRST_ROW_ID=file.first_row_id,
        _WRITE_COLS=None if file.written is None else list(file.written),
    )


def simple_stats(columns: Sequence[Column | None], known: dict[int, Statistics]) -> dict[str, Any]:
    """Return a SimpleStats; None in ``columns`` stands for a system column, a BIGINT."""
    found = [Statistics() if column is None else known.get(column.field_id, Statistics()) for column in columns]
    types = ["BIGINT" if column is None else declared(column.type) for column in columns]
    return stats(
        types,
        [internal(one.lower if one.inverted[0] is None else one.inverted[0]) for one in found],
        [internal(one.upper if one.inverted[1] is None else one.inverted[1]) for one in found],
        [one.nulls for one in found],
    )


def vector_rows(rng: Random, table: Table) -> list[dict[str, Any]]:
    """Return index manifest rows: one index file per bucket, with a range for each data file."""
    partition = [declared(c.type) for i in table.partition if (c := table.current.by_id(i))]
    rows = []
    for number, ((values, bucket), vectors) in enumerate(table.vectors.items()):
        if not vectors:
            continue
        ranges, offset = [], 1
        for name, positions in vectors.items():
            known = None if chance(rng, 10) else len(positions)
            ranges.append({"f0": name, "f1": offset, "f2": 20, "_CARDINALITY": known})
            offset += 28
        rows.append(
            indexed(
                f"index-{number}",
                _PARTITION=binary_row(partition, values) if partition else EMPTY,
                _BUCKET=bucket,
                _INDEX_TYPE="DELETION_VECTORS",
                _FILE_SIZE=offset,
                _ROW_COUNT=len(ranges),
                _DELETIONS_VECTORS_RANGES=ranges,
            )
        )
    return rows
