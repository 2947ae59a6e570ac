"""Tables written by Paimon's Java client, each with the steps of its history.

A step is an action of ``tests/java/Session.java`` and its arguments. Values are functions of a row's id and of the
row's version, so that predicates select some rows and not others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = tuple[str, dict[str, Any]]
Value = Callable[[int, int], object]
DAYS = ["1969-12-30", "1969-12-31", "1970-01-01", "2024-02-29", None]
REGIONS = ["eu", "us", "", None, "a/b=c %", "  "]

COLUMNS: dict[str, tuple[str, Value]] = {
    "id": ("BIGINT", lambda i, v: i),
    "small": ("INT", lambda i, v: i * 3 - 50 + v),
    "short": ("SMALLINT", lambda i, v: None if i % 6 == 0 else i % 50),
    "tiny": ("TINYINT", lambda i, v: i % 20 - 10),
    "flag": ("BOOLEAN", lambda i, v: None if i % 7 == 0 else "true" if i % 40 < 20 else "false"),
    "ratio": ("FLOAT", lambda i, v: None if i % 5 == 0 else i / 4),
    "score": ("DOUBLE", lambda i, v: i * -1.5 + v),
    "price": ("DECIMAL(9, 2)", lambda i, v: f"{i // 4}.25"),
    "wide": ("DECIMAL(38, 10)", lambda i, v: None if i % 9 == 0 else f"{12345678901234567890 + i}.5"),
    "day": ("DATE", lambda i, v: f"2024-{i // 28 % 12 + 1:02}-{i % 28 + 1:02}"),
    "local": ("TIMESTAMP(6)", lambda i, v: f"2024-01-{i // 24 % 28 + 1:02} {i % 24:02}:00:00.{i:06}"),
    "instant": ("TIMESTAMP(6) WITH LOCAL TIME ZONE", lambda i, v: f"2024-02-{i // 24 % 28 + 1:02} {i % 24:02}:30:00"),
    "millis": ("TIMESTAMP(3)", lambda i, v: None if i < 30 else f"1969-12-31 23:{i % 60:02}:00.{i % 1000:03}"),
    "name": ("STRING", lambda i, v: None if i % 8 == 0 else f"{'abcdefghij'[i // 12 % 10]}é a longer name {i}"),
    "code": ("VARCHAR(20)", lambda i, v: f"c{i % 13}" if v == 0 else f"d{i % 13}"),
    "blob": ("VARBINARY(40)", lambda i, v: f"x{i:05}"),
    "empty": ("INT", lambda i, v: None),
}
PARTS: dict[str, tuple[str, Value]] = {
    "part": ("DATE", lambda i, v: DAYS[i % 5]),
    "region": ("STRING", lambda i, v: REGIONS[i % 6]),
    "at": ("TIMESTAMP(6)", lambda i, v: f"2024-01-01 0{i % 3}:00:00.000005" if i % 4 else None),
    "amount": ("DECIMAL(5, 1)", lambda i, v: f"{i % 3}.5"),
    "bit": ("BOOLEAN", lambda i, v: "true" if i % 2 else "false"),
    "nr": ("INT", lambda i, v: i % 4),
}
KEYED = COLUMNS | {"id": ("BIGINT NOT NULL", COLUMNS["id"][1])}
FEW = ("id", "small", "price", "name", "day", "code", "empty")


@dataclass(frozen=True)
class Kind:
    """A table: how it is created, and the steps that follow."""

    columns: Mapping[str, tuple[str, Value]]
    steps: Sequence[Step]
    partition: Sequence[str] = ()
    primary: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def created(self, name: str) -> dict[str, Any]:
        """Return the arguments of the action "create"."""
        columns = [(column, kind) for column, (kind, _) in self.columns.items()]
        return {
            "table": name,
            "columns": columns,
            "partition": self.partition,
            "primary": self.primary,
            "options": {"write-only": "true", **self.options},
        }


def rows(columns: Mapping[str, tuple[str, Value]], ids: Iterable[int], v: int = 0, kind: str = "+I") -> list[Any]:
    """Return the rows with these ids, in the version ``v``."""
    made = [[value(i, v) for _, value in columns.values()] for i in ids]
    return [[kind, *(None if value is None else str(value) for value in row)] for row in made]


def of(*names: str, among: Mapping[str, tuple[str, Value]] = COLUMNS) -> dict[str, tuple[str, Value]]:
    """Return columns by name, partition columns included."""
    return {name: {**PARTS, **among}[name] for name in names}


def write(
    columns: Mapping[str, tuple[str, Value]], ids: Iterable[int], v: int = 0, kind: str = "+I", /, **more: Any
) -> Step:
    """Return a step that commits rows."""
    return ("write", {"rows": rows(columns, ids, v, kind), **more})


def writes(columns: Mapping[str, tuple[str, Value]], commits: int = 8, size: int = 20, start: int = 0) -> list[Step]:
    """Return steps that commit new rows."""
    return [write(columns, range(start + n * size, start + (n + 1) * size)) for n in range(commits)]


def updated(columns: Mapping[str, tuple[str, Value]]) -> list[Step]:
    """Return commits with overlapping keys and some deletes."""
    return [
        *writes(columns, 5, 24),
        write(columns, range(10, 60, 3), 1),
        write(columns, range(40, 50), 2),
        write(columns, range(20, 24), 0, "-D"),
    ]


COMPACT: Step = ("compact", {"full": True, "options": {"write-only": "false"}})
NARROW = of(*FEW)
KEYS = of(*FEW, among=KEYED)
TWO = of("region", *FEW, among=KEYED)


def compacted(columns: Mapping[str, tuple[str, Value]]) -> list[Step]:
    """Return steps that produce files of the highest level, and newer files above them."""
    return [*updated(columns), COMPACT, write(columns, range(30, 44), 3), write(columns, range(100, 140), 1)]


def leveled(columns: Mapping[str, tuple[str, Value]]) -> list[Step]:
    """Return steps with the writer's automatic compaction."""
    compacting = {"options": {"write-only": "false", "num-sorted-run.compaction-trigger": "3"}}
    return [(action, arguments | compacting) for action, arguments in [*updated(columns), *updated(columns)[4:7]]]


def keyed(steps: Sequence[Step], columns: Mapping[str, tuple[str, Value]] = KEYS, **options: str) -> Kind:
    """Return a primary-key table with two buckets."""
    named = {name.replace("_", "-").replace("--", "."): value for name, value in options.items()}
    return Kind(columns, steps, primary=["id"], options={"bucket": "2"} | named)


def dynamic(steps: Sequence[Step]) -> list[Step]:
    """Return these steps with the bucket of each row given explicitly."""
    return [
        (
            action,
            arguments | {"buckets": [int(row[1]) % 3 for row in arguments["rows"]]} if action == "write" else arguments,
        )
        for action, arguments in steps
    ]


def wide_kinds() -> dict[str, Kind]:
    """Return append tables of all column types."""
    every = COLUMNS
    parts = of("part", "region", *COLUMNS)
    odd = of("at", "amount", "bit", *FEW)
    marked = {"deletion-vectors.enabled": "true"}
    unsure = of("id", "ratio", "score") | {
        "ratio": ("FLOAT", lambda i, v: "NaN" if i % 10 == 3 else i / 4),
        "score": ("DOUBLE", lambda i, v: "NaN" if i % 50 > 20 else None if i % 3 else i / -4),
    }
    deleted: list[Step] = [
        ("delete", {"where": ["between", "id", "30", "44"]}),
        ("delete", {"where": ["or", ["=", "id", "100"], ["in", "id", "41", "46", "0"]]}),
    ]
    by_stats = {mode: {"metadata.stats-mode": mode} for mode in ("full", "truncate(2)", "none", "counts")}
    mixed = {"fields.name.stats-mode": "full", "fields.day.stats-mode": "none", "metadata.stats-dense-store": "false"}
    return {
        "append": Kind(
            every, [*writes(every, 10, 24), ("tag", {"name": "whole"}), COMPACT, *writes(every, 4, 10, 240)]
        ),
        "append_parts": Kind(parts, [*writes(parts, 3, 60)], partition=["part", "region"]),
        "append_odd_parts": Kind(odd, writes(odd, 3, 40), partition=["at", "amount", "bit"]),
        "append_new_names": Kind(
            odd, writes(odd, 3, 40), partition=["at", "amount", "bit"], options={"partition.legacy-name": "false"}
        ),
        "append_overwritten": Kind(
            of("nr", *FEW),
            [
                *writes(of("nr", *FEW), 4, 24),
                write(of("nr", *FEW), range(201, 240, 4), overwrite={"nr": "1"}),
                *writes(of("nr", *FEW), 1, 24, 300),
            ],
            partition=["nr"],
        ),
        "append_buckets": Kind(every, writes(every, 5, 40), options={"bucket": "4", "bucket-key": "id"}),
        "append_two_keys": Kind(every, writes(every, 4, 40), options={"bucket": "4", "bucket-key": "name,price"}),
        "append_odd_keys": Kind(
            every, writes(every, 4, 40), options={"bucket": "5", "bucket-key": "local,wide,flag,score"}
        ),
        "append_mod": Kind(
            every,
            writes(every, 4, 40),
            options={"bucket": "4", "bucket-key": "small", "bucket-function.type": "mod"},
        ),
        "append_hive": Kind(
            every,
            writes(every, 4, 40),
            options={"bucket": "3", "bucket-key": "small,name,day", "bucket-function.type": "hive"},
        ),
        "append_vectors": Kind(every, [*writes(every, 8, 20), *deleted], options=marked),
        "append_vectors_64": Kind(
            every, [*writes(every, 8, 20), *deleted], options=marked | {"deletion-vectors.bitmap64": "true"}
        ),
        "append_vectors_buckets": Kind(
            every, [*writes(every, 4, 40), *deleted], options=marked | {"bucket": "2", "bucket-key": "id"}
        ),
        "append_index": Kind(
            every,
            writes(every, 8, 20),
            options={"file-index.bloom-filter.columns": "code,small", "file-index.in-manifest-threshold": "1 mb"},
        ),
        "append_avro": Kind(NARROW, writes(NARROW), options={"file.format": "avro"}),
        **{
            f"append_nan_{form}": Kind(unsure, writes(unsure), options={"file.format": form})
            for form in ("parquet", "orc", "avro")
        },
        "append_orc": Kind(NARROW, writes(NARROW), options={"file.format": "orc"}),
        "stats_mixed": Kind(every, writes(every), options=mixed),
        "stats_by_level": Kind(
            KEYS,
            compacted(KEYS),
            primary=["id"],
            options={"bucket": "1", "metadata.stats-mode.per.level": "0:none,5:full"},
        ),
        "stats_first": Kind(every, writes(every), options={"metadata.stats-keep-first-n-columns": "3"}),
        **{
            f"stats_{mode.split('(')[0]}": Kind(every, writes(every), options=options)
            for mode, options in by_stats.items()
        },
    }


def keyed_kinds() -> dict[str, Kind]:
    """Return primary-key tables."""
    parted = {"nr": ("INT NOT NULL", PARTS["nr"][1]), **KEYS}
    two = {**KEYS, "code": ("STRING NOT NULL", KEYS["code"][1])}
    moving = [*updated(KEYS), ("alter", {"changes": [["option", "bucket", "3"]]})]
    return {
        "keyed": keyed(updated(KEYS)),
        "keyed_compacted": keyed(compacted(KEYS)),
        "keyed_whole": keyed([*updated(KEYS), COMPACT]),
        "keyed_levels": keyed(leveled(KEYS)),
        "keyed_wide": keyed(compacted(KEYED), KEYED),
        "keyed_parts": Kind(parted, compacted(parted), ["nr"], ["nr", "id"], {"bucket": "2"}),
        "keyed_two": Kind(two, compacted(two), primary=["code", "id"], options={"bucket": "2"}),
        "keyed_mod": keyed(compacted(KEYS), bucket_function__type="mod", bucket="3"),
        "keyed_rescaled": Kind(
            parted,
            [
                *updated(parted),
                ("alter", {"changes": [["option", "bucket", "3"]]}),
                write(parted, range(1, 90, 4), 3, overwrite={"nr": "1"}),
            ],
            ["nr"],
            ["nr", "id"],
            {"bucket": "2"},
        ),
        "keyed_thin": keyed(compacted(KEYS), data_file__thin_mode="true"),
        "keyed_orc": keyed(compacted(KEYS), file__format="orc"),
        "keyed_sections": keyed([*writes(KEYS, 6), write(KEYS, range(30, 50), 1)], bucket="1"),
        "keyed_sections_above": keyed(
            [*writes(KEYS, 6), COMPACT, *writes(KEYS, 3, 20, 120), write(KEYS, range(125, 135), 1)], bucket="1"
        ),
        "vectors": keyed(marked_rows(KEYS), deletion_vectors__enabled="true"),
        "vectors_64": keyed(marked_rows(KEYS), deletion_vectors__enabled="true", deletion_vectors__bitmap64="true"),
        "vectors_later": keyed([*marked_rows(KEYS), write(KEYS, range(3, 30, 2), 4)], deletion_vectors__enabled="true"),
        "first_row": keyed(leveled_inserts(KEYS), merge_engine="first-row"),
        "first_row_later": keyed([*leveled_inserts(KEYS), write(KEYS, range(90, 160))], merge_engine="first-row"),
        "partial": keyed(
            [*writes(KEYS, 4), *partial_steps(), COMPACT, *writes(KEYS, 1, 20, 70)], merge_engine="partial-update"
        ),
        "partial_fresh": keyed([*writes(KEYS, 4), *partial_steps()], merge_engine="partial-update"),
        "aggregation": keyed(
            [*writes(KEYS, 4), write(KEYS, range(30, 60), 1), COMPACT, write(KEYS, range(10, 40), 2)],
            merge_engine="aggregation",
            fields__small__aggregate_function="sum",
            fields__code__aggregate_function="max",
        ),
        "dynamic": Kind(KEYS, dynamic(compacted(KEYS)), primary=["id"], options={"bucket": "-1"}),
        "postpone": Kind(KEYS, writes(KEYS, 3), primary=["id"], options={"bucket": "-2"}),
        "changelog_input": keyed(compacted(KEYS), changelog_producer="input"),
        "changelog_lookup": keyed(leveled(KEYS), changelog_producer="lookup"),
        "changelog_full": keyed(
            [*updated(KEYS), COMPACT, *updated(KEYS)[5:], COMPACT], changelog_producer="full-compaction"
        ),
        "sequenced": keyed(compacted(KEYS), sequence__field="small"),
        "snapshot_ordered": keyed(compacted(KEYS), sequence__snapshot_ordering="true"),
        "branched": keyed(
            [
                *writes(KEYS, 3),
                ("tag", {"name": "early"}),
                ("branch", {"name": "side", "tag": "early"}),
                *writes(KEYS, 2, 20, 60),
                write(KEYS, range(200, 220), branch="side"),
                ("alter", {"changes": [["add", "aside", "INT"]], "branch": "side"}),
            ]
        ),
        "rescaled_without_rewriting": keyed(moving),
    }


def marked_rows(columns: Mapping[str, tuple[str, Value]]) -> list[Step]:
    """Return steps that write a large file, and small ones above it, which are compacted without it."""
    later = [write(columns, range(n * 40, 600, 90), n) for n in (1, 2)]
    compacting = {"options": {"write-only": "false", "num-sorted-run.compaction-trigger": "9"}}
    written = [
        write(columns, range(600)),
        COMPACT,
        *later,
        write(columns, range(7, 60, 9), 0, "-D"),
        *writes(columns, 2, 9, 700),
    ]
    return [(action, arguments | compacting) for action, arguments in written]


def leveled_inserts(columns: Mapping[str, tuple[str, Value]]) -> list[Step]:
    """Return the steps of :func:`leveled` without deletes, which some merge engines refuse."""
    return [step for step in leveled(columns) if step[0] != "write" or step[1]["rows"][0][0] == "+I"]


def partial_steps() -> list[Step]:
    """Return writes with nulls in most columns, which partial updates leave unchanged."""
    holes = {
        name: (kind, value if name in {"id", "code"} else lambda i, v: None) for name, (kind, value) in KEYS.items()
    }
    return [write(holes, range(10, 50), 1), write(holes, range(60, 70), 2)]


def changing_kinds() -> dict[str, Kind]:
    """Return tables with schema changes, and tables with row ids."""
    after = [
        ["type", "small", "BIGINT"],
        ["type", "tiny", "INT"],
        ["type", "ratio", "DOUBLE"],
        ["type", "price", "DECIMAL(12, 2)"],
        ["type", "short", "STRING"],
        ["type", "code", "STRING"],
        ["rename", "name", "title"],
        ["drop", "blob"],
        ["add", "later", "INT"],
        ["add", "name", "STRING"],
    ]
    evolved = {"title" if name == "name" else name: column for name, column in COLUMNS.items() if name != "blob"} | {
        "later": ("INT", lambda i, v: i % 9),
        "name": ("STRING", lambda i, v: f"new {i}"),
    }
    second = [
        ["drop", "later"],
        ["add", "later", "STRING"],
        ["add", "blob", "INT"],
        ["type", "small", "INT"],
        ["type", "score", "FLOAT"],
        ["type", "day", "STRING"],
        ["type", "millis", "TIMESTAMP(6)"],
    ]
    last = evolved | {
        "later": ("STRING", lambda i, v: f"later {i % 9}"),
        "blob": ("INT", lambda i, v: i),
    }
    steps: list[Step] = [
        *writes(COLUMNS, 4),
        ("tag", {"name": "before"}),
        ("alter", {"changes": after}),
        *writes(evolved, 4, 20, 80),
        ("alter", {"changes": second}),
        *writes(
            {
                **{n: c for n, c in last.items() if n not in ("later", "name", "blob")},
                "name": last["name"],
                "later": last["later"],
                "blob": last["blob"],
            },
            4,
            20,
            160,
        ),
    ]
    key_after = [
        ["type", "small", "BIGINT"],
        ["rename", "name", "title"],
        ["drop", "day"],
        ["add", "later", "INT"],
        ["type", "price", "STRING"],
    ]
    key_evolved = {"title" if n == "name" else n: c for n, c in KEYS.items() if n != "day"} | {
        "later": ("INT", lambda i, v: i % 9)
    }
    tracked = {"row-tracking.enabled": "true"}
    evolving = tracked | {"data-evolution.enabled": "true"}
    return {
        "evolved": Kind(COLUMNS, steps),
        "evolved_unwritten": keyed([*updated(KEYS), ("alter", {"changes": key_after})]),
        "evolved_keyed": keyed(
            [
                *compacted(KEYS),
                ("alter", {"changes": key_after}),
                write(key_evolved, range(35, 75), 4),
                write(key_evolved, range(150, 170)),
            ]
        ),
        "evolved_keyed_whole": keyed(
            [*updated(KEYS), COMPACT, ("alter", {"changes": key_after}), write(key_evolved, range(35, 75), 4), COMPACT]
        ),
        "evolved_vectors": keyed(
            [*marked_rows(KEYS), ("alter", {"changes": key_after}), *marked_rows(key_evolved)[2:]],
            deletion_vectors__enabled="true",
        ),
        "tracked": Kind(COLUMNS, [*writes(COLUMNS, 6), COMPACT, *writes(COLUMNS, 3, 20, 120)], options=tracked),
        "tracked_vectors": Kind(
            COLUMNS,
            [*writes(COLUMNS, 6), ("delete", {"where": ["between", "id", "30", "44"]})],
            options=tracked | {"deletion-vectors.enabled": "true"},
        ),
        "data_evolution": Kind(
            NARROW,
            [
                *writes(NARROW, 6),
                *(
                    write(
                        of("small", "code"),
                        range(20 * n, 20 * n + 20),
                        40,
                        columns=["small", "code"],
                        first=str(20 * n),
                    )
                    for n in (1, 2, 4)
                ),
                write(of("name"), range(300, 320), columns=["name"], first="40"),
            ],
            options=evolving,
        ),
        "data_evolution_parts": Kind(of("nr", *FEW), writes(of("nr", *FEW), 4), ["nr"], options=evolving),
    }


KINDS: dict[str, Kind] = {**wide_kinds(), **keyed_kinds(), **changing_kinds()}
