"""Plans that a client would misread are refused with an error that names a remedy."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from lakemuster.catalog.iceberg_rest import clients
from lakemuster.catalog.iceberg_rest.clients import UPDATED, IcebergClient
from lakemuster.errors import ClientMustPlan
from lakemuster.metadata.files import typed_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.wire.iceberg_rest.content_files import ContentFiles, has_odd_floats, readable_by_pyiceberg
from lakemuster.wire.iceberg_rest.plans import PlanTableScanRequest

JAVA = IcebergClient.of(
    {"x-client-version": "Apache Iceberg 1.12.0 (commit 212aa894)", "user-agent": "Apache-HttpClient/5.6"}
)
PYTHON = IcebergClient.of({"x-client-version": "PyIceberg 0.12.0", "user-agent": "PyIceberg/0.12.0"})


def planned(version: int, *, moved: bool = False) -> Any:
    table = SimpleNamespace(rewrites=(("a", "b"),) if moved else ())
    return SimpleNamespace(view=SimpleNamespace(metadata=SimpleNamespace(format_version=version), table=table))


def test_clients_are_told_apart() -> None:
    assert IcebergClient(is_java=True) == JAVA
    assert IcebergClient(is_pyiceberg=True) == PYTHON
    assert IcebergClient.of({}) == IcebergClient()


@pytest.mark.parametrize(
    ("client", "version", "select", "case", "is_refused"),
    [
        (JAVA, 3, ["id", UPDATED], True, True),
        (JAVA, 3, ["id", UPDATED.upper()], False, True),
        (JAVA, 3, ["id", "_row_id", "_pos"], True, False),
        (JAVA, 3, [], True, False),
        (JAVA, 3, None, True, False),
        (JAVA, 2, ["id", UPDATED], True, False),
        (PYTHON, 3, ["id", UPDATED], True, False),
        (IcebergClient(), 3, ["id", UPDATED], True, False),
    ],
)
def test_java_is_given_no_plan_of_what_it_reads_as_null(
    client: IcebergClient, version: int, select: list[str] | None, case: bool, is_refused: bool
) -> None:
    asked = PlanTableScanRequest(select=select, case_sensitive=case)
    if not is_refused:
        client.require_columns(planned(version), asked)
        return
    with pytest.raises(ClientMustPlan, match="scan-planning-mode=client"):
        client.require_columns(planned(version), asked)
    with pytest.raises(ClientMustPlan, match="moved") as refused:
        client.require_columns(planned(version, moved=True), asked)
    assert "scan-planning-mode" not in str(refused.value)


FLOAT, TEXT, LONG = (Primitive(Kind(of), of) for of in ("float", "string", "long"))


def files(**partition: tuple[Primitive, pa.Array]) -> ContentFiles:
    fields = tuple(PartitionField(1000 + at, name, "identity", (at + 1,)) for at, name in enumerate(partition))
    schema = Schema(0, tuple(Field(at + 1, name, of) for at, (name, (of, _)) in enumerate(partition.items())))
    columns = [
        typed_field(f"partition.{1000 + at}", values.type, of.text)
        for at, (of, values) in enumerate(partition.values())
    ]
    table = pa.table([values for _, values in partition.values()], pa.schema(columns))
    return ContentFiles(table, PartitionSpec(0, fields), schema, for_pyiceberg=True)


def test_what_pyiceberg_is_told_of_a_tuple() -> None:
    made = files(
        a=(LONG, pa.array([1, 2, 3, 4])),
        b=(FLOAT, pa.array([1.5, math.nan, None, 2.5], pa.float32())),
        c=(TEXT, pa.array(["x", "y", "z", None])),
    )
    assert [mask.tolist() for _, mask in readable_by_pyiceberg(made)] == [
        [True] * 4,
        [True, False, False, True],
        [True, False, False, False],
    ]
    assert [mask.tolist() for _, mask in readable_by_pyiceberg(files(a=(LONG, pa.nulls(2, pa.int64()))))] == [
        [False] * 2
    ]


@pytest.mark.parametrize(
    ("values", "odd"),
    [([1.5, None], False), ([None], False), ([], False), ([math.nan], True), ([1.0, -math.inf], True)],
)
def test_floats_that_json_lacks(values: list[float | None], odd: bool) -> None:
    assert has_odd_floats(files(a=(FLOAT, pa.array(values, pa.float32())))) is odd


def test_the_refusal_is_of_its_own_code() -> None:
    refusal = clients.client_must_plan(cast("Any", planned(2)), "it is so")
    assert refusal.code == "client_must_plan"
    assert refusal.message.startswith("it is so: let the client plan")
    assert replace(JAVA, is_java=False) == IcebergClient()
