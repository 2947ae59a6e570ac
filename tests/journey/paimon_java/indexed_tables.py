"""Tables with file indexes inside their manifests, written by Paimon's Java client.

Values are scattered, so that every file covers a wide range: bounds drop few files, and indexes most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.journey.paimon_java.tables import COMPACT, Kind, Step, Value, write, writes

Columns = Mapping[str, tuple[str, Value]]


def scattered(i: int, limit: int, salt: int = 0) -> int:
    """Return a pseudo-random number below ``limit``, determined by ``i`` and ``salt``."""
    return (i * 2654435761 + salt * 40503) % 4294967291 % limit


COLUMNS: Columns = {
    "id": ("BIGINT", lambda i, v: scattered(i, 5000)),
    "tiny": ("TINYINT", lambda i, v: None if i % 11 == 0 else scattered(i, 250, 1) - 125),
    "short": ("SMALLINT", lambda i, v: scattered(i, 900, 2) - 450),
    "small": ("INT", lambda i, v: None if i % 5 == 0 else scattered(i, 2000, 3) - 700 + v),
    "big": ("BIGINT", lambda i, v: (scattered(i, 1000, 4) - 500) * 10**15),
    "ratio": ("FLOAT", lambda i, v: None if i % 7 == 0 else (scattered(i, 400, 5) - 200) / 4),
    "score": ("DOUBLE", lambda i, v: (scattered(i, 3000, 6) - 1500) / 8),
    "price": ("DECIMAL(9, 2)", lambda i, v: f"{(scattered(i, 6000, 7) - 3000) / 100:.2f}"),
    "day": ("DATE", lambda i, v: f"{1968 + scattered(i, 5, 8)}-{scattered(i, 12, 9) + 1:02}-{scattered(i, 28) + 1:02}"),
    "local": ("TIMESTAMP(6)", lambda i, v: f"19{68 + scattered(i, 4):02}-03-01 05:00:00.{scattered(i, 999999, 10):06}"),
    "millis": ("TIMESTAMP(3)", lambda i, v: None if i % 9 == 0 else f"1969-12-31 23:59:00.{scattered(i, 900, 11):03}"),
    "instant": ("TIMESTAMP(6) WITH LOCAL TIME ZONE", lambda i, v: f"2024-02-01 00:30:{scattered(i, 60, 12):02}"),
    "flag": ("BOOLEAN", lambda i, v: None if i < 16 else "true" if i < 32 else "false"),
    "name": ("STRING", lambda i, v: None if i % 8 == 0 else f"{scattered(i, 700, 13)}é a name longer than that {i}"),
    "code": ("VARCHAR(20)", lambda i, v: f"c{scattered(i, 300, 14)}"),
    "fixed": ("CHAR(5)", lambda i, v: f"{scattered(i, 90000, 15) + 10000}"),
    "blob": ("VARBINARY(40)", lambda i, v: f"x{scattered(i, 500, 16):05}"),
    "empty": ("INT", lambda i, v: None),
}
KEYED: Columns = {**COLUMNS, "id": ("BIGINT NOT NULL", lambda i, v: i)}

OF: dict[str, list[str]] = {
    "bloom-filter": [name for name in COLUMNS if name not in {"price", "flag"}],
    "bitmap": [name for name in COLUMNS if name not in {"price", "blob"}],
    "bsi": ["id", "tiny", "short", "small", "big", "price", "day", "local", "millis", "instant", "empty"],
    "range-bitmap": [name for name in COLUMNS if name != "blob"],
}
"""The columns whose types each kind of index supports."""

EMBEDDED = {"file-index.in-manifest-threshold": "10 mb"}


def indexes(*kinds: str, columns: Iterable[str] | None = None, **settings: str) -> dict[str, str]:
    """Return the options of a table with these indexes in its manifests, on ``columns`` or all supported ones."""
    found = dict(EMBEDDED)
    for kind in kinds:
        names = OF[kind] if columns is None else list(columns)
        found[f"file-index.{kind}.columns"] = ",".join(names)
        if kind == "bloom-filter":
            settings = {"items": "60", "fpp": "0.02", **settings}
        found |= {
            f"file-index.{kind}.{name}.{key.replace('_', '-')}": value
            for name in names
            for key, value in settings.items()
        }
        settings = {}
    return found


def keyed(steps: Sequence[Step], **options: str) -> Kind:
    """Return a primary-key table with every kind of index."""
    named = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
    return Kind(KEYED, steps, primary=["id"], options={"bucket": "2", **indexes(*OF), **named})


def updated() -> list[Step]:
    """Return commits with overlapping keys and some deletes."""
    return [
        *writes(KEYED, 4, 16),
        write(KEYED, range(5, 60, 3), 900),
        write(KEYED, range(20, 24), 0, "-D"),
    ]


def whole(steps: Sequence[Step]) -> list[Step]:
    """Return these steps with compaction at every commit: one file of many rows, and small ones above it."""
    compacting = {"options": {"write-only": "false", "num-sorted-run.compaction-trigger": "9"}}
    return [(action, arguments | compacting) for action, arguments in steps]


def evolving() -> Kind:
    """Return a table whose columns are renamed, widened, dropped and added between commits."""
    changes = [
        ["type", "small", "BIGINT"],
        ["type", "tiny", "INT"],
        ["type", "ratio", "DOUBLE"],
        ["type", "code", "STRING"],
        ["rename", "name", "title"],
        ["rename", "short", "name"],
        ["drop", "flag"],
        ["add", "flag", "STRING"],
    ]
    names = {"name": "title", "short": "name"}
    later: Columns = {
        **{names.get(name, name): column for name, column in COLUMNS.items() if name != "flag"},
        "flag": ("STRING", lambda i, v: f"f{scattered(i, 300, 17)}"),
    }
    of = ["id", "tiny", "small", "ratio", "name", "code", "local", "empty"]
    options = indexes("bloom-filter", "bitmap", "range-bitmap", columns=of)
    return Kind(
        COLUMNS,
        [*writes(COLUMNS, 5, 16), ("alter", {"changes": changes}), *writes(later, 5, 16, 80)],
        options=options,
    )


def indexed_anew() -> Kind:
    """Return a table whose existing files are indexed after a column before the indexed ones was dropped."""
    numbers: Columns = {name: ("INT", number(salt)) for salt, name in enumerate(["id", "gone", "one", "two", "three"])}
    left = {name: column for name, column in numbers.items() if name != "gone"}
    options = [["option", name, value] for name, value in indexes("bitmap", columns=["id", "one", "two"]).items()]
    return Kind(
        numbers,
        [
            *writes(numbers, 5, 16),
            ("alter", {"changes": [["drop", "gone"], *options]}),
            ("index anew", {}),
            *writes(left, 3, 16, 80),
        ],
        options={"metadata.stats-mode": "none"},
    )


def number(salt: int) -> Value:
    """Return a value function for an INT column."""
    return lambda i, v: scattered(i, 100, salt * 7919)


def kinds() -> dict[str, Kind]:
    """Return all kinds of tables."""
    commits = writes(COLUMNS, 10, 16)
    bare = {"metadata.stats-mode": "none"}
    odd: Columns = {
        "id": ("BIGINT", COLUMNS["id"][1]),
        "ratio": ("FLOAT", lambda i, v: "NaN" if i % 40 > 36 else "-0.0" if i % 23 == 3 else scattered(i, 40, 5) / 4),
        "score": ("DOUBLE", lambda i, v: "NaN" if i % 30 == 3 else None if i % 3 else scattered(i, 300, 6) / -8),
    }
    unsure = writes(odd, 10, 16)
    return {
        **{f"indexed_{kind}": Kind(COLUMNS, commits, options=indexes(kind)) for kind in OF},
        **{f"only_{kind}": Kind(COLUMNS, commits, options=indexes(kind) | bare) for kind in OF},
        "indexed_bitmap_1": Kind(COLUMNS, commits, options=indexes("bitmap", version="1") | bare),
        "indexed_bitmap_blocks": Kind(COLUMNS, commits, options=indexes("bitmap", index_block_size="64 b") | bare),
        "indexed_range_chunks": Kind(COLUMNS, commits, options=indexes("range-bitmap", chunk_size="70 b") | bare),
        "indexed_all": Kind(COLUMNS, [*commits, COMPACT, *writes(COLUMNS, 4, 16, 160)], options=indexes(*OF) | bare),
        "indexed_nan": Kind(odd, unsure, options=indexes("bloom-filter", "bitmap", "range-bitmap", columns=odd) | bare),
        "indexed_orc": Kind(COLUMNS, commits, options=indexes(*OF) | bare | {"file.format": "orc"}),
        "indexed_off": Kind(COLUMNS, commits, options=indexes(*OF) | bare | {"file-index.read.enabled": "false"}),
        "indexed_beside": Kind(
            COLUMNS, commits, options=indexes(*OF) | bare | {"file-index.in-manifest-threshold": "1 b"}
        ),
        "indexed_vectors": Kind(
            COLUMNS,
            [*commits, ("delete", {"where": ["between", "id", "300", "2000"]})],
            options=indexes(*OF) | {"deletion-vectors.enabled": "true"},
        ),
        "indexed_evolved": evolving(),
        "indexed_anew": indexed_anew(),
        "indexed_spread": Kind(
            COLUMNS,
            commits,
            options=indexes("bitmap") | {"row-tracking.enabled": "true", "data-evolution.enabled": "true"},
        ),
        "indexed_keyed": keyed(updated()),
        "indexed_keyed_bare": keyed([*updated(), COMPACT], metadata__stats_mode="none"),
        "indexed_keyed_whole": keyed([*writes(KEYED, 6, 16), COMPACT, write(KEYED, range(400, 420))], bucket="3"),
        "indexed_keyed_vectors": keyed(
            whole([write(KEYED, range(200)), COMPACT, *updated()[4:], write(KEYED, range(70, 90), 300)]),
            deletion_vectors__enabled="true",
        ),
        "indexed_first_row": keyed(whole(writes(KEYED, 6, 16)), merge_engine="first-row"),
        "indexed_partial": keyed([*updated()[:5], COMPACT, write(KEYED, range(9, 30))], merge_engine="partial-update"),
        "indexed_changelog": keyed(whole(updated()), changelog_producer="lookup"),
    }


KINDS = kinds()
