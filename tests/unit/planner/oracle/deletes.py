"""Random delete files of all kinds for given data files."""

from __future__ import annotations

from random import Random
from typing import Any

from lakemuster.metadata.files import EQUALITY_DELETES, POSITION_DELETES
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from tests.unit.planner.oracle.metrics import Writer
from tests.unit.planner.oracle.model import PATH, DataFile, DeleteFile, Recorded, Row, leaves, same_partition
from tests.unit.planner.oracle.values import chance, is_nan, promoted, some_value


def delete_files(
    rng: Random, files: list[DataFile], schemas: list[Schema], specs: list[PartitionSpec]
) -> list[DeleteFile]:
    """Return random delete files, with at most one vector per data file."""
    found = []
    targets = [file for file in files if file.rows]
    vectors: set[str] = set()
    for number in range(rng.choice([0, 1, 2, 3, 4, 6]) if targets else 0):
        target = rng.choice(targets)
        kind = rng.choice(["vector", "positions", "positions", "equality", "equality"])
        if kind == "vector" and target.path not in vectors:
            vectors.add(target.path)
            found.append(vector(rng, number, target))
        elif kind == "positions":
            found.append(positions(rng, number, target, [file for file in files if same_partition(file, target)]))
        else:
            found.append(equality(rng, number, target, schemas, specs))
    return found


def some_positions(rng: Random, file: DataFile) -> frozenset[int]:
    return frozenset(position for position in range(len(file.rows)) if chance(rng, 60))


def vector(rng: Random, number: int, target: DataFile) -> DeleteFile:
    return DeleteFile(
        path=f"s3://table/deletes-{number % 2}.puffin",
        version=target.version,
        spec=target.spec,
        partition=other_nan(rng, target.partition),
        sequence=rng.randrange(5),
        content=POSITION_DELETES,
        statistics={},
        positions={target.path: some_positions(rng, target)},
        referenced=target.path,
        is_vector=True,
    )


def positions(rng: Random, number: int, target: DataFile, others: list[DataFile]) -> DeleteFile:
    chosen = [target] if chance(rng, 30) else [target, rng.choice(others)]
    paths = sorted(file.path for file in chosen)
    bounds = Recorded(paths[0] if (odd := rng.randrange(100)) >= 30 else None, paths[-1] if chance(rng, 70) else None)
    if odd >= 90 and bounds.upper is not None:
        bounds = Recorded(bounds.upper, bounds.lower)
    single = len(set(paths)) == 1
    return DeleteFile(
        path=f"s3://table/deletes-{number}.parquet",
        version=target.version,
        spec=target.spec,
        partition=other_nan(rng, target.partition),
        sequence=rng.randrange(5),
        content=POSITION_DELETES,
        statistics={PATH: bounds},
        positions={file.path: some_positions(rng, file) for file in chosen},
        referenced=paths[0] if single and chance(rng, 40) else None,
    )


def equality(
    rng: Random, number: int, target: DataFile, schemas: list[Schema], specs: list[PartitionSpec]
) -> DeleteFile:
    """Return equality deletes of a data file's values, for its partition or, by an unpartitioned spec, for all."""
    version = rng.randrange(target.version, len(schemas))
    schema, written = schemas[version], schemas[target.version]
    own = list(leaves(schema.fields))
    ids = tuple(sorted({rng.choice(own)[0] for _ in range(rng.choice([1, 1, 2]))}))
    rows: list[Row] = []
    for _ in range(rng.randrange(1, 4)):
        row = rng.choice(target.rows)
        rows.append({i: deleted_value(rng, written, schema, row, i) for i in ids})
    everywhere = [spec for spec in specs if all(field.transform == "void" for field in spec.fields)]
    spec, partition = target.spec, other_nan(rng, target.partition)
    if everywhere and chance(rng, 50):
        spec = rng.choice(everywhere)
        partition = {field.field_id: None for field in spec.fields}
    recorded = Writer(rng).statistics(schema, [{i: row.get(i) for i, _, _ in own} for row in rows])
    return DeleteFile(
        path=f"s3://table/deletes-{number}.parquet",
        version=version,
        spec=spec,
        partition=partition,
        sequence=rng.randrange(5),
        content=EQUALITY_DELETES,
        statistics={i: statistics for i, statistics in recorded.items() if i in ids},
        ids=ids,
        rows=rows,
    )


def deleted_value(rng: Random, written: Schema, schema: Schema, row: Row, field_id: int) -> Any:
    new, old = schema.primitive(field_id), written.primitive(field_id)
    assert new is not None
    if old is None or chance(rng, 40):
        return some_value(rng, new, nulls=not schema.by_id[field_id].required)
    return promoted(row[field_id], old, new)


def other_nan(rng: Random, partition: dict[int, Any]) -> dict[int, Any]:
    """Return the partition, mostly with another bit pattern of NaN."""
    return {i: -value if is_nan(value) and chance(rng, 80) else value for i, value in partition.items()}
