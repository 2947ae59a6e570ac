"""Further tables written by Paimon's Java client, for tests that read rows: types, nesting, merging."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.journey.paimon_java.tables import (
    COMPACT,
    FEW,
    KEYS,
    NARROW,
    Kind,
    Step,
    Value,
    keyed,
    of,
    updated,
    write,
    writes,
)

Columns = Mapping[str, tuple[str, Value]]


def row(*fields: tuple[str, str | dict[str, Any]]) -> dict[str, Any]:
    """Return a ROW type with numbered fields."""
    return {"type": "ROW", "fields": [{"id": n, "name": name, "type": kind} for n, (name, kind) in enumerate(fields)]}


def array(element: str | dict[str, Any]) -> dict[str, Any]:
    return {"type": "ARRAY", "element": element}


def mapping(key: str, value: str | dict[str, Any]) -> dict[str, Any]:
    return {"type": "MAP", "key": key, "value": value}


def nested(value: Any) -> Any:
    """Return a value function whose values are JSON; null stays null."""
    return lambda i, v: None if (made := value(i, v)) is None else json.dumps(made)


TYPES: Columns = {
    "id": ("BIGINT NOT NULL", lambda i, v: i),
    "clock": ("TIME(3)", lambda i, v: None if i % 7 == 0 else f"{i % 24:02}:{i % 60:02}:59.{i % 1000:03}"),
    "seconds": ("TIMESTAMP(0)", lambda i, v: f"1969-12-31 23:{i % 60:02}:07"),
    "zoned": ("TIMESTAMP(3) WITH LOCAL TIME ZONE", lambda i, v: f"1969-12-31 {i % 24:02}:00:00.{i % 1000:03}"),
    "padded": ("CHAR(8)", lambda i, v: f"c{i}é"),
    "short": ("VARCHAR(12)", lambda i, v: "" if i % 5 == 0 else f"𝄞{i}"),
    "four": ("BINARY(4)", lambda i, v: f"{i:04}"),
    "narrow": ("DECIMAL(18, 2)", lambda i, v: f"-{i * 10**14}.07"),
    "small": ("DECIMAL(5, 5)", lambda i, v: f"0.{i:05}"),
    "day": ("DATE", lambda i, v: f"{1 + i * 50:04}-01-31"),
}
FINE: Columns = {
    **TYPES,
    "nanos": ("TIMESTAMP(9)", lambda i, v: f"1970-01-01 23:59:59.{i:09}"),
    "zoned_nanos": ("TIMESTAMP(9) WITH LOCAL TIME ZONE", lambda i, v: f"2242-12-31 23:59:59.99999{i:04}"),
}
LATE: Columns = {"late": ("TIMESTAMP(9)", lambda i, v: f"9999-12-31 23:59:59.99999{i:04}")}
EARLY: Columns = {"early": ("TIMESTAMP(9)", lambda i, v: f"1969-12-31 23:59:59.{i:09}")}
DEEP = row(("x", array("DATE")), ("y", row(("z", "SMALLINT"))))
NESTED: Columns = {
    "id": ("BIGINT", lambda i, v: i),
    "tags": (json.dumps(array("STRING")), nested(lambda i, v: None if i % 6 == 0 else [f"t{i}", None][: i % 3])),
    "grid": (json.dumps(array(array("INT"))), nested(lambda i, v: [[i, None], None, []][: i % 4])),
    "counts": (
        json.dumps(mapping("STRING", "BIGINT")),
        nested(lambda i, v: None if i % 5 == 0 else {f"k{n}": n * i for n in range(i % 3)}),
    ),
    "by_number": (
        json.dumps(mapping("INT", row(("a", "INT"), ("b", "DOUBLE")))),
        nested(lambda i, v: {str(i): {"a": i, "b": None}, "-1": None}),
    ),
    "inner": (
        json.dumps(row(("a", "INT"), ("b", "STRING"), ("price", "DECIMAL(20, 3)"), ("deep", DEEP))),
        nested(
            lambda i, v: (
                None
                if i % 4 == 0
                else {
                    "a": i,
                    "b": None if i % 3 else f"b{i}",
                    "price": f"{i}.125",
                    "deep": None if i % 5 == 0 else {"x": ["2024-02-29", None], "y": {"z": i}},
                }
            )
        ),
    ),
    "rows": (
        json.dumps(array(row(("n", "INT"), ("at", "TIMESTAMP(6)")))),
        nested(lambda i, v: [{"n": i, "at": "2024-01-01 00:00:00.000007"}, None][: i % 3]),
    ),
}
MANY: Columns = {
    "flag": ("BOOLEAN NOT NULL", lambda i, v: "true" if i % 2 else "false"),
    "ratio": ("DOUBLE NOT NULL", lambda i, v: ["-0.0", "0.0", "Infinity", "-1.5", "1e300", "-Infinity"][i % 6]),
    "name": ("STRING NOT NULL", lambda i, v: ["a", "Z", "é", "𝄞", "\uffee", "", "aa"][i % 7]),
    "price": ("DECIMAL(20, 2) NOT NULL", lambda i, v: f"{(i % 5 - 2) * 10**15}.25"),
    "at": ("TIMESTAMP(6) NOT NULL", lambda i, v: f"19{68 + i % 4}-01-01 00:00:00.00000{i % 3}"),
    "day": ("DATE NOT NULL", lambda i, v: f"19{68 + i % 4}-06-01"),
    "raw": ("VARBINARY(9) NOT NULL", lambda i, v: ["x", "é", "", "xy"][i % 4]),
    "value": ("INT", lambda i, v: i * 100 + v),
}
SEQUENCED: Columns = {
    **KEYS,
    "first": ("INT", lambda i, v: None if (i + v) % 4 == 0 else (i * 7 + v * 5) % 3),
    "second": ("DOUBLE", lambda i, v: ["-7.5", None, "-0.0", "0.0", "7"][(i + 3 * v) % 5]),
}


def over_and_over(columns: Columns, ids: int = 60) -> list[Step]:
    """Return commits of several versions of the same keys, with some deletes."""
    return [
        write(columns, range(ids), 0),
        write(columns, range(0, ids, 2), 1),
        COMPACT,
        write(columns, range(0, ids, 3), 2),
        write(columns, range(1, ids, 5), 3, "-D"),
        write(columns, range(0, ids, 4), 4),
        write(columns, range(0, ids, 7), 5, "-U"),
    ]


GROUPED: Columns = {
    "id": ("BIGINT NOT NULL", lambda i, v: i),
    "before": ("STRING", lambda i, v: None if (i + v) % 3 == 0 else f"b{v}"),
    "first": ("INT", lambda i, v: None if (i + v) % 4 == 0 else (i * 7 + v * 5) % 3),
    "after": (json.dumps(array("INT")), nested(lambda i, v: None if (i + v) % 5 == 0 else [i, v, None])),
    "one": ("TIMESTAMP(6)", lambda i, v: None if (i + v) % 3 == 0 else f"196{(i + v) % 10}-01-01 00:00:00.00000{v}"),
    "two": ("DOUBLE", lambda i, v: ["-7.5", None, "-0.0", "0.0", "7"][(i + 3 * v) % 5]),
    "of_both": ("DECIMAL(20, 2)", lambda i, v: None if (i + v) % 7 == 0 else f"{i}.{v:02}"),
    "small": ("INT", lambda i, v: None if (i * v) % 2 else i + v * 10),
}
AGGREGATES = {
    **{f"{name}_sum": kind for name, kind in (("tiny", "TINYINT"), ("short", "SMALLINT"), ("small", "INT"))},
    **{f"{name}_sum": kind for name, kind in (("big", "BIGINT"), ("ratio", "FLOAT"), ("score", "DOUBLE"))},
    "price_sum": "DECIMAL(9, 2)",
    "wide_sum": "DECIMAL(38, 10)",
    "small_max": "INT",
    "score_max": "DOUBLE",
    "ratio_max": "FLOAT",
    "price_max": "DECIMAL(9, 2)",
    "name_max": "STRING",
    "blob_max": "VARBINARY(9)",
    "day_max": "DATE",
    "at_max": "TIMESTAMP(6)",
    "small_min": "INT",
    "score_min": "DOUBLE",
    "ratio_min": "FLOAT",
    "name_min": "STRING",
    "blob_min": "BYTES",
    "flag_bool_and": "BOOLEAN",
    "flag_bool_or": "BOOLEAN",
    **{f"small_{end}_value": "INT" for end in ("first", "last", "first_non_null", "last_non_null")},
    "tags_first_non_null_value": json.dumps(array("STRING")),
    "default": "STRING",
}
"""Columns, each named after its aggregate function."""


def _aggregated(kind: str) -> Value:
    """Return a value function for a type, with nulls and repeated values."""

    def value(i: int, v: int) -> object:
        number = (i * 7919 + v * 104729) % 11 - 5
        if (i + v) % 4 == 0:
            return None
        match kind.split("(", maxsplit=1)[0]:
            case "FLOAT" | "DOUBLE":
                return ["NaN", "-0.0", "0.0", f"{number / 4}"][(i + v * 3) % 4]
            case "DECIMAL":
                return f"{number}.25"
            case "STRING":
                return ["a", "Z", "é", "𝄞", "\uffee", ""][(i + v) % 6]
            case "VARBINARY" | "BYTES":
                return f"{number}"
            case "DATE":
                return f"19{70 + number}-01-01"
            case "TIMESTAMP":
                return f"19{70 + number}-01-01 00:00:00.000001"
            case "BOOLEAN":
                return "true" if number % 2 else "false"
        return json.dumps([f"t{number}", None]) if kind.startswith("{") else number

    return value


TEXT_KEYS: Columns = {**of("small", "price", "name"), "key": ("STRING NOT NULL", lambda i, v: f"a key of {i}")}


def clustered(column: str) -> Kind:
    """Return a primary-key table whose compacted files are sorted by another column, with deletes."""
    compacting = {"options": {"write-only": "false", "num-sorted-run.compaction-trigger": "3"}}
    steps = [(action, arguments | compacting) for action, arguments in updated(TEXT_KEYS)]
    options = {"pk-clustering-override": "true", "clustering.columns": column, "deletion-vectors.enabled": "true"}
    return Kind(TEXT_KEYS, steps, primary=["key"], options={"bucket": "2", **options})


AGGREGATED: Columns = {
    "id": ("BIGINT NOT NULL", lambda i, v: i),
    **{name: (kind, _aggregated(kind)) for name, kind in AGGREGATES.items()},
}


def without_deletes(steps: Sequence[Step]) -> list[Step]:
    """Return the steps that write no deletes."""
    return [step for step in steps if step[0] != "write" or step[1]["rows"][0][0] == "+I"]


def nested_changes() -> list[Step]:
    """Return steps that rename, add, drop and widen fields of nested columns."""
    changes = [
        ["rename", "inner.a", "aa"],
        ["add", "inner.a", "STRING"],
        ["drop", "inner.b"],
        ["type", "inner.deep.y.z", "BIGINT"],
        ["add", "inner.deep.y.new", "INT"],
        ["rename", "rows.element.n", "number"],
        ["type", "rows.element.number", "BIGINT"],
        ["type", "by_number.value.a", "BIGINT"],
        ["type", "grid.element.element", "BIGINT"],
        ["rename", "counts", "counted"],
    ]
    return [*writes(NESTED, 2), ("alter", {"changes": changes})]


def casts() -> list[Step]:
    """Return steps that cast columns in every supported way."""
    changes = [
        ["type", "id", "SMALLINT"],
        ["type", "small", "DECIMAL(12, 3)"],
        ["type", "price", "DECIMAL(6, 1)"],
        ["type", "name", "VARCHAR(3)"],
        ["type", "day", "TIMESTAMP(6)"],
        ["type", "code", "CHAR(5)"],
        ["type", "empty", "BOOLEAN"],
        ["type", "tiny", "STRING"],
        ["type", "flag", "INT"],
        ["type", "ratio", "INT"],
        ["type", "score", "BIGINT"],
        ["type", "wide", "DOUBLE"],
        ["type", "local", "STRING"],
        ["type", "millis", "TIMESTAMP(6)"],
        ["type", "blob", "VARBINARY(3)"],
        ["type", "short", "FLOAT"],
    ]
    return [*writes(CAST_COLUMNS, 2), ("alter", {"changes": changes})]


def to_texts(columns: Columns) -> list[list[str]]:
    """Return changes of the types of columns to STRING."""
    return [["type", name, "STRING"] for name in columns]


CAST_COLUMNS = of(
    "id", "small", "price", "name", "day", "code", "empty", "tiny", "flag", "ratio", "score", "wide", "local", "millis",
    "blob", "short",
)  # fmt: skip
PADDED: Columns = {
    "id": ("BIGINT", lambda i, v: i),
    "inner": (json.dumps(row(("a", "CHAR(6)"), ("b", "VARCHAR(6)"))), nested(lambda i, v: {"a": f"a{i}", "b": "b "})),
    "tags": (json.dumps(array("CHAR(5)")), nested(lambda i, v: [f"é{i}", None, ""])),
    "codes": (json.dumps(mapping("CHAR(4)", "CHAR(3)")), nested(lambda i, v: {f"k{i % 9}": "v", "x": None})),
}
PADDED_KEYS: Columns = {
    "code": ("CHAR(6) NOT NULL", lambda i, v: f"c{i % 20}" + "é" * (i % 3)),
    "name": ("VARCHAR(6) NOT NULL", lambda i, v: ["a", "a ", "", " "][i % 4]),
    "value": ("CHAR(9)", lambda i, v: f"v{v}"),
}
SMALL_DECIMALS: Columns = {
    "tiny": ("DECIMAL(10, 9)", lambda i, v: f"{'-' if i % 2 else ''}0.{i:09}"),
    "wide": ("DECIMAL(38, 20)", lambda i, v: f"{i - 1}.{0:020}"),
}
FINE_KEY: Columns = {
    **of(*FEW),
    "at": ("TIMESTAMP(9) NOT NULL", lambda i, v: f"2024-01-01 00:00:00.{i:06}000"),
}
TYPED = {
    f"types_{form}": Kind(columns, writes(columns, 2), options={"file.format": form})
    for form, columns in (("parquet", {**FINE, **LATE}), ("orc", FINE), ("avro", TYPES))
}
READ_KINDS: dict[str, Kind] = {
    **TYPED,
    **{
        f"nested_{form}": Kind(NESTED, writes(NESTED, 2), options={"file.format": form})
        for form in ("parquet", "orc", "avro")
    },
    "nested_evolved": Kind(NESTED, nested_changes()),
    "nested_evolved_orc": Kind(NESTED, nested_changes(), options={"file.format": "orc"}),
    "cast": Kind(CAST_COLUMNS, casts()),
    "padded": Kind(PADDED, writes(PADDED, 2), options={"file.format": "orc"}),
    "padded_keys": Kind(
        PADDED_KEYS,
        over_and_over(PADDED_KEYS, 80),
        primary=["code", "name"],
        options={"bucket": "1", "file.format": "orc"},
    ),
    "cast_decimals": Kind(
        SMALL_DECIMALS, [*writes(SMALL_DECIMALS, 2), ("alter", {"changes": to_texts(SMALL_DECIMALS)})]
    ),
    "keys_of_all_types": Kind(
        MANY,
        over_and_over(MANY, 80),
        primary=["flag", "ratio", "name", "price", "at", "day", "raw"],
        options={"bucket": "1"},
    ),
    "over_and_over": keyed(over_and_over(KEYS)),
    "over_avro": keyed(over_and_over(KEYS), file__format="avro"),
    "over_ignoring": keyed(over_and_over(KEYS), ignore_delete="true"),
    "over_sequenced": keyed(over_and_over(SEQUENCED), SEQUENCED, sequence__field="first,second"),
    "over_descending": keyed(
        over_and_over(SEQUENCED), SEQUENCED, sequence__field="first,second", sequence__field__sort_order="descending"
    ),
    "partial_plain": keyed(without_deletes(over_and_over(GROUPED)), GROUPED, merge_engine="partial-update"),
    "partial_sequenced": keyed(
        without_deletes(over_and_over(SEQUENCED)),
        SEQUENCED,
        merge_engine="partial-update",
        sequence__field="first,second",
    ),
    "partial_groups": Kind(
        GROUPED,
        without_deletes(over_and_over(GROUPED)),
        primary=["id"],
        options={
            "bucket": "2",
            "merge-engine": "partial-update",
            "fields.first.sequence-group": "before,after",
            "fields.two,one.sequence-group": "of_both",
        },
    ),
    "aggregation_all": Kind(
        AGGREGATED,
        without_deletes(over_and_over(AGGREGATED)),
        primary=["id"],
        options={
            "bucket": "2",
            "merge-engine": "aggregation",
            "fields.default-aggregate-function": "min",
            **{f"fields.{name}.aggregate-function": name.partition("_")[2] for name in AGGREGATES if name != "default"},
        },
    ),
    "partial_aggregated": Kind(
        GROUPED,
        without_deletes(over_and_over(GROUPED)),
        primary=["id"],
        options={
            "bucket": "1",
            "merge-engine": "partial-update",
            "fields.first.sequence-group": "small",
            "fields.small.aggregate-function": "sum",
        },
    ),
    "aggregation_text": keyed(
        without_deletes(over_and_over(KEYS)), merge_engine="aggregation", fields__name__aggregate_function="listagg"
    ),
    "many_files": keyed([write(KEYS, range(n, 400, 7 + n), n) for n in range(12)], bucket="1"),
    "small_files": keyed(
        [*updated(KEYS), COMPACT, *(write(KEYS, range(n * 40, n * 40 + 45), 5) for n in range(5))],
        bucket="1",
        target_file_size="1 kb",
    ),
    **{f"clustered_by_{name}": clustered(name) for name in ("small", "name")},
    "narrow_gzip": Kind(NARROW, writes(NARROW, 2), options={"file.compression": "gzip"}),
    "early_nanos": Kind(EARLY, writes(EARLY, 1)),
    "nanos_in_key": Kind(
        FINE_KEY, [*writes(FINE_KEY, 1, 10), *writes(FINE_KEY, 1, 10)], primary=["at"], options={"bucket": "1"}
    ),
}
