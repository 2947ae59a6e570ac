"""Bounds of ORC files hold for the values that readers return: CHAR without blanks, times of the Gregorian calendar."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakemuster.formats.paimon.manifests import parse_manifest
from lakemuster.formats.paimon.orc_bounds import STRIDE
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.metadata.values import days_of
from tests.unit.formats.paimon.writer import entry, manifest, schema, stats, table_of

ORC, PARQUET = "data-0.orc", "data-1.parquet"
OCTOBER = days_of(1582, 10, 15) * 86_400_000
DAY = 86_400_000


def bounds(of: str, lower: object, upper: object, records: int = 1) -> dict[str, list[object]]:
    """Return the lower and upper bounds of a column in an ORC and a Parquet file, which record the same."""
    recorded = {
        "_ROW_COUNT": records,
        "_VALUE_STATS_COLS": ["c"],
        "_VALUE_STATS": stats([of], [lower], [upper], [0]),
    }
    table = parse_manifest(
        manifest(entry(ORC, **recorded), entry(PARQUET, **recorded)),
        ManifestHeader("m", None),
        table_of(schema({"c": of}, ids=[7])),
    )
    found = {}
    for side in ("lower", "upper"):
        name = f"{side}.7"
        values = table.column(name) if name in table.column_names else pa.nulls(2, pa.int64())
        if pa.types.is_timestamp(values.type):
            values = pa.chunked_array([chunk.view(pa.int64()) for chunk in values.chunks])
        if pa.types.is_date32(values.type):
            values = pa.chunked_array([chunk.view(pa.int32()) for chunk in values.chunks])
        found[side] = values.to_pylist()
    return found


@pytest.mark.parametrize(
    ("lower", "orc"),
    [("ab   ", "ab"), ("     ", ""), ("a b  ", "a"), ("a\n", "a"), ("aé\t b", "aé"), ("abcde", "abcde")],
)
def test_a_lower_bound_of_char_excludes_no_value_without_its_blanks(lower: str, orc: str) -> None:
    found = bounds("CHAR(5)", lower, "x    ")
    assert found == {"lower": [orc, lower], "upper": ["x    ", "x    "]}


@pytest.mark.parametrize("of", ["VARCHAR(5)", "STRING"])
def test_bounds_of_other_texts_are_as_recorded(of: str) -> None:
    assert bounds(of, "ab ", "ab ") == {"lower": ["ab ", "ab "], "upper": ["ab ", "ab "]}


@pytest.mark.parametrize("zone", ["", " WITH LOCAL TIME ZONE"])
@pytest.mark.parametrize("digits", [0, 3, 6])
def test_bounds_before_the_gregorian_calendar_are_unknown(digits: int, zone: str) -> None:
    of = f"TIMESTAMP({digits}){zone}"
    early, late = OCTOBER - 5 * DAY, OCTOBER + 5 * DAY
    unit = 1000 if digits > 3 else 1

    def recorded(lower: int, upper: int) -> dict[str, list[object]]:
        return bounds(of, (lower, 0), (upper, 0))

    assert recorded(early, early) == {"lower": [None, early * unit], "upper": [None, early * unit]}
    assert recorded(early, late) == {"lower": [None, early * unit], "upper": [late * unit, late * unit]}
    assert recorded(late, late) == {"lower": [late * unit, late * unit], "upper": [late * unit, late * unit]}


@pytest.mark.parametrize("of", ["FLOAT", "DOUBLE"])
def test_bounds_of_numbers_that_nan_may_hide_are_unknown(of: str) -> None:
    for records, orc in ((STRIDE, 5.0), (STRIDE + 1, None)):
        assert bounds(of, 5.0, 5.0, records) == {"lower": [orc, 5.0], "upper": [orc, 5.0]}


@pytest.mark.parametrize(("day", "least"), [(-10805, -10806), (0, -1), (1, 1), (19_000, 19_000), (-(2**31), -(2**31))])
def test_a_lower_bound_of_dates_before_1970_may_be_a_day_late(day: int, least: int) -> None:
    assert bounds("DATE", day, 20_000) == {"lower": [least, day], "upper": [20_000, 20_000]}


def test_unknown_bounds_of_dates_stay_unknown() -> None:
    assert bounds("DATE", None, 20_000) == {"lower": [None, None], "upper": [20_000, 20_000]}
