"""Statistics of Parquet files that may have several row groups: writers pass over groups without statistics."""

from __future__ import annotations

import pytest

from lakemuster.formats.paimon.manifests import parse_manifest
from lakemuster.formats.paimon.parquet_bounds import COMPRESSION, ROWS
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.writer import entry, manifest, schema, stats, table_of

LARGE = (128 << 20) // COMPRESSION
BOUNDS: dict[str, tuple[object, object]] = {
    **dict.fromkeys(["FLOAT", "DOUBLE"], (0.5, 1.5)),
    **dict.fromkeys(["INT", "DATE", "DECIMAL(9, 2)"], (1, 2)),
    **dict.fromkeys(["STRING", "VARCHAR(512)", "CHAR(600)", "VARCHAR(511)", "CHAR(5)"], ("a", "b")),
    **dict.fromkeys(["BYTES", "VARBINARY(2048)", "VARBINARY(2047)"], (b"a", b"b")),
}


def statistics(
    of: str,
    name: str = "data-0.parquet",
    size: int = LARGE,
    records: int = ROWS + 1,
    options: dict[str, str] | None = None,
) -> tuple[bool, bool]:
    """Return whether the bounds and the null count of a column of a file are known."""
    lower, upper = BOUNDS[of]
    recorded = {
        "_FILE_SIZE": size,
        "_ROW_COUNT": records,
        "_VALUE_STATS_COLS": ["c"],
        "_VALUE_STATS": stats([of], [lower], [upper], [0]),
    }
    written = schema({"c": of}, ids=[7], options=options)
    table = parse_manifest(manifest(entry(name, **recorded)), ManifestHeader("m", None), table_of(written))
    lowers, uppers = (f"{side}.7" in table.column_names for side in ("lower", "upper"))
    assert lowers == uppers
    return lowers, "null_count.7" in table.column_names


@pytest.mark.parametrize("of", ["FLOAT", "DOUBLE"])
def test_bounds_of_numbers_are_unknown_where_nan_may_have_hidden_a_row_group(of: str) -> None:
    assert statistics(of) == (False, True)


@pytest.mark.parametrize("of", ["STRING", "VARCHAR(512)", "CHAR(600)", "BYTES", "VARBINARY(2048)"])
def test_nothing_is_known_of_values_that_may_be_too_long_for_statistics(of: str) -> None:
    assert statistics(of) == (False, False)
    assert statistics(of, "compacted-changelog-0.cc-parquet") == (False, False)


@pytest.mark.parametrize("of", ["INT", "DATE", "DECIMAL(9, 2)", "VARCHAR(511)", "CHAR(5)", "VARBINARY(2047)"])
def test_statistics_of_short_values_are_of_all_row_groups(of: str) -> None:
    assert statistics(of) == (True, True)


@pytest.mark.parametrize("of", ["DOUBLE", "STRING"])
def test_files_of_one_row_group_and_of_other_formats_are_described(of: str) -> None:
    assert statistics(of, size=LARGE - 1) == (True, True)
    assert statistics(of, records=ROWS) == (True, True)
    assert statistics(of, "data-0.avro") == (True, True)


@pytest.mark.parametrize("option", ["file.block-size", "parquet.block.size"])
def test_the_tables_own_size_of_row_groups_counts(option: str) -> None:
    assert statistics("STRING", size=LARGE // 2) == (True, True)
    assert statistics("STRING", size=LARGE // 2, options={option: "64 mb"}) == (False, False)


def test_the_first_key_column_has_the_bounds_of_the_keys() -> None:
    key = ["STRING", "STRING"]
    recorded = {
        "_MIN_KEY": binary_row(key, ["a long least key", "z"]),
        "_MAX_KEY": binary_row(key, ["the greatest key of all", "a"]),
        "_KEY_STATS": stats(key, ["b", "m"], ["c", "n"], [0, 0]),
        "_ROW_COUNT": ROWS + 1,
    }
    keyed = schema({"k": "STRING NOT NULL", "j": "STRING NOT NULL"}, primary=["k", "j"])
    large, small = entry("0.parquet", _FILE_SIZE=LARGE, **recorded), entry("1.parquet", **recorded)
    table = parse_manifest(manifest(large, small), ManifestHeader("m", None), table_of(keyed))
    found = {name: table.column(name).to_pylist() for name in table.column_names if name.startswith("key_")}
    assert found == {
        "key_lower.0": ["a long least key", "b"],
        "key_upper.0": ["the greatest key of all", "c"],
        "key_null_count.0": [None, 0],
        "key_lower.1": [None, "m"],
        "key_upper.1": [None, "n"],
        "key_null_count.1": [None, 0],
    }
