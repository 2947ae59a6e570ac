"""Residuals of every type and special value, parsed and evaluated by Iceberg's Java library and by PyIceberg."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pyiceberg.catalog.rest.scan_planning import RESTFileScanTask
from pyiceberg.expressions.visitors import bind as bind_theirs
from pyiceberg.expressions.visitors import expression_evaluator
from pyiceberg.schema import Schema as TheirSchema
from pyiceberg.typedef import Record

from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import json_value
from lakemuster.predicates import Bound, Leaf, Literal, NanMode, Not, Op, bind, matches
from lakemuster.wire.documents import dumps
from lakemuster.wire.iceberg_rest.expressions import emit_expression
from tests.beside import jars_of
from tests.tree import ROOT

FLOAT_MAX = (2 - 2**-23) * 2.0**127
DAY = 86_400 * 10**6
VALUES: dict[str, list[Any]] = {
    "boolean": [False, True],
    "int": [-(2**31), -1, 0, 1, 2**31 - 1],
    "long": [-(2**63), -(2**53) - 1, 0, 2**53 + 1, 2**63 - 1],
    "float": [-math.inf, -FLOAT_MAX, -1.5, 0.0, 2.0**-149, 0.5, FLOAT_MAX, math.inf, math.nan],
    "double": [-math.inf, -1.7976931348623157e308, -1.5, 0.0, 5e-324, 0.1, 1.7976931348623157e308, math.inf, math.nan],
    "decimal(9, 2)": [Decimal("-9999999.99"), Decimal("-0.01"), Decimal("0.00"), Decimal("9999999.99")],
    "decimal(38, 10)": [Decimal(-(10**38) + 1).scaleb(-10), Decimal("0E-10"), Decimal(10**38 - 1).scaleb(-10)],
    "date": [-719_162, -1, 0, 19_000, 2_932_896],
    "time": [0, 1, DAY - 1],
    "timestamp": [-719_162 * DAY, -1, 0, 1_660_471_200_123_456, 2_932_896 * DAY + DAY - 1],
    "timestamptz": [-719_162 * DAY, -1, 0, 1_660_471_200_123_456, 2_932_896 * DAY + DAY - 1],
    "timestamp_ns": [-1, 0, 1_660_471_200_123_456_789],
    "timestamptz_ns": [-1, 0, 1_660_471_200_123_456_789],
    "string": ["", "'", 'quote " and \\', "a", "ab", "é", "Infinity", "NaN", "\U0001f600"],
    "uuid": [UUID(int=0), UUID("6b26bdb1-a1d8-4aa6-990e-da940875492c")],  # Java orders uuids by signed halves
    "fixed[2]": [b"\0\0", b"a\xff"],
    "binary": [b"", b"a", b"ab\0"],
}
NAMES = {of: f"c{number}" for number, of in enumerate(VALUES, 1)}
COLUMNS = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": int(name[1:]), "name": name, "type": of, "required": False} for of, name in NAMES.items()],
}
SCHEMA = parse_schema(COLUMNS, "schema")
ORDERED = (Op.EQ, Op.NOT_EQ, Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ)
# PyIceberg cannot parse values of these types in a residual, from this server or from its own planner.
UNREAD_BY_PYICEBERG = ("fixed[2]", "binary", "timestamp_ns", "timestamptz_ns")


@dataclass(frozen=True)
class Asked:
    """A comparison as a client sends it, and its bound form."""

    of: str
    document: object
    bound: Bound

    @property
    def residual(self) -> Any:
        return json.loads(dumps(emit_expression(self.bound, self.document)))


def comparisons(mode: NanMode, *, nan: bool = False) -> Iterator[Asked]:
    """Yield every operator with every value, plain and negated; either with NaN constants or with all others."""
    for of, name in NAMES.items():
        values = [value for value in VALUES[of] if is_nan(value) is nan]
        lists = [values[:2], values[-2:], values] if len(values) > 1 else [values]
        asked = [(op, (value,)) for op in ORDERED for value in values]
        asked += [(op, tuple(some)) for op in (Op.IN, Op.NOT_IN) for some in lists if some]
        for op, constants in asked:
            spelled = [json_value(primitive(of), value) for value in constants]
            many = op in (Op.IN, Op.NOT_IN)
            document: Any = {"type": op.value.replace("_", "-"), "term": name}
            document["values" if many else "value"] = spelled if many else spelled[0]
            leaf = Leaf(op, name, tuple(Literal(value, "untyped") for value in spelled))
            for node, whole in ((leaf, document), (Not(leaf), {"type": "not", "child": document})):
                yield Asked(of, whole, bind(node, SCHEMA, negations_match_null=True, nan=mode))


def primitive(of: str) -> Primitive:
    found = SCHEMA.primitive(int(NAMES[of][1:]))
    assert found is not None
    return found


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def has_text(document: object, texts: tuple[str, ...]) -> bool:
    return any(f'"{text}"' in json.dumps(document) for text in texts)


def java_row(of: str, value: Any) -> list[object]:
    plain: object
    match primitive(of).kind:
        case Kind.FLOAT | Kind.DOUBLE:
            plain = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(str(value), str(value))
        case Kind.LONG:
            plain = value
        case Kind.FIXED | Kind.BINARY:
            plain = value.hex().upper()
        case _:
            plain = json_value(primitive(of), value)
    return [plain if other == of else None for other in NAMES]


class Java:
    """Iceberg's Java library, from the Spark runtime."""

    def __init__(self, folder: Path) -> None:
        jars = [*jars_of("requirements-spark.jars"), *jars_of("requirements-paimon.jars")]
        self.path = os.pathsep.join([str(folder), *jars])
        source = ROOT / "tests" / "java_iceberg" / "Residuals.java"
        subprocess.run(["javac", "-nowarn", "-d", folder, "-cp", self.path, source], check=True)

    def answers(self, residuals: list[tuple[object, list[list[object]]]]) -> list[Any]:
        lines = [json.dumps(COLUMNS), *(json.dumps({"residual": one, "rows": rows}) for one, rows in residuals)]
        done = subprocess.run(
            ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", self.path, "Residuals"],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Java:
    return Java(tmp_path_factory.mktemp("classes"))


def test_java_reads_residuals_of_every_type_and_value(java: Java) -> None:
    """Java's evaluator treats NaN as the greatest value."""
    asked = [*comparisons("greatest"), *comparisons("greatest", nan=True)]
    found = java.answers([(one.residual, [java_row(one.of, value) for value in VALUES[one.of]]) for one in asked])
    assert len(found) == len(asked) > 1000
    for one, answer in zip(asked, found, strict=True):
        field_id = int(NAMES[one.of][1:])
        expected = [matches(one.bound, {field_id: value}) is True for value in VALUES[one.of]]
        assert answer == expected, (one.document, one.residual)


def test_java_reads_residuals_in_every_mode_and_finds_no_less(java: Java) -> None:
    """Under ``any`` the residual is the original comparison, which Java evaluates with its own reading of NaN."""
    modes: dict[NanMode, NanMode] = {"any": "greatest", "unordered": "unordered", "none": "none"}
    asked = [
        (one, meant.bound)
        for mode, meaning in modes.items()
        for nan in (False, True)
        for one, meant in zip(comparisons(mode, nan=nan), comparisons(meaning, nan=nan), strict=True)
        if one.of in ("float", "double")
    ]
    found = java.answers([(one.residual, [java_row(one.of, value) for value in VALUES[one.of]]) for one, _ in asked])
    for (one, meant), answer in zip(asked, found, strict=True):
        field_id = int(NAMES[one.of][1:])
        expected = [matches(meant, {field_id: value}) is True for value in VALUES[one.of]]
        assert isinstance(answer, list), (one.document, one.residual, answer)
        assert all(theirs or not ours for theirs, ours in zip(answer, expected, strict=True)), (one, answer)


def test_pyiceberg_reads_residuals_of_every_type_and_value() -> None:
    theirs = TheirSchema.model_validate(COLUMNS)
    modes: tuple[NanMode, ...] = ("any", "greatest", "unordered", "none")
    count = 0
    for mode in modes:
        for asked in (*comparisons(mode), *comparisons(mode, nan=True)):
            residual = read_by_pyiceberg(asked.residual)
            if asked.of in UNREAD_BY_PYICEBERG:
                continue
            bind_theirs(theirs, residual, case_sensitive=True)
            evaluate = expression_evaluator(theirs, residual, case_sensitive=True)
            field_id = int(NAMES[asked.of][1:])
            for value in VALUES[asked.of]:
                if is_nan(value) and mode != "unordered":
                    continue
                row: list[Any] = [None] * len(NAMES)
                row[field_id - 1] = value.bytes if isinstance(value, UUID) else value
                ours = matches(asked.bound, {field_id: value}) is True
                assert evaluate(Record(*row)) == ours, (asked, value)
                count += 1
    assert count > 5000


def read_by_pyiceberg(residual: object) -> Any:
    """Parse a residual with PyIceberg's model of a scan task."""
    file = {
        "spec-id": 0, "content": "data", "file-path": "f", "file-format": "parquet", "partition": [],
        "file-size-in-bytes": 1, "record-count": 1,
    }  # fmt: skip
    task = RESTFileScanTask.model_validate_json(json.dumps({"data-file": file, "residual-filter": residual}))
    return task.residual_filter


def test_no_residual_has_an_infinity_or_nan() -> None:
    modes: tuple[NanMode, ...] = ("any", "greatest", "unordered", "none")
    for mode in modes:
        for asked in (*comparisons(mode), *comparisons(mode, nan=True)):
            if asked.of in ("float", "double"):
                assert not has_text(asked.residual, ("NaN", "Infinity", "-Infinity")), asked
