"""Plan tasks and plan ids."""

from __future__ import annotations

import base64
import string

from hypothesis import given
from hypothesis import strategies as st

from lakemuster.catalog.iceberg_rest.plan_tokens import MAX_ID_CHARACTERS, PlanTokens, Scan
from lakemuster.catalog.token_signing import TokenSigner
from lakemuster.planner.rows import Position
from lakemuster.predicates import NAN_MODES

KEY = TokenSigner(b"k" * 32)
OURS = PlanTokens(KEY, 7, "me")
SCAN = Scan(12, 112, None, 0, {"type": "gt", "term": "id", "value": 5}, True, (1, 5), None)
PART = (Position(3, 17), Position(4, 0))

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
longs = st.integers(-(2**63), 2**63 - 1)
positions = st.builds(Position, st.integers(0, 2**40), st.integers(0, 2**40))
scans = st.builds(
    Scan,
    st.none() | longs,
    st.none() | longs,
    st.none() | longs,
    st.integers(0, 9),
    documents,
    st.booleans(),
    st.lists(st.integers(0, 999)).map(tuple),
    st.none() | longs,
    st.sampled_from(NAN_MODES),
    st.none() | st.integers(0, 9),
)


@given(scans, st.lists(st.tuples(positions, st.none() | positions), min_size=1, max_size=3))
def test_what_is_written_is_read(scan: Scan, parts: list[tuple[Position, Position | None]]) -> None:
    assert [OURS.read_plan_task(text) for text in OURS.plan_tasks(scan, parts)] == [(scan, part) for part in parts]
    text = OURS.plan_id(scan)
    assert len(text) <= MAX_ID_CHARACTERS
    known, found = OURS.read_plan_id(text)
    assert known
    assert found in (scan, None)


def test_the_id_of_a_large_scan_is_short_and_its_own() -> None:
    scans = [Scan(12, 112, None, 0, {"values": list(range(start, start + 20_000))}, True, (), None) for start in (0, 1)]
    ids = {OURS.plan_id(scan) for scan in scans}
    assert len(ids) == 2
    for text in ids:
        assert len(text) < 100
        assert OURS.read_plan_id(text) == (True, None)


def test_a_token_is_of_one_table_caller_server_and_kind() -> None:
    [task] = OURS.plan_tasks(SCAN, [PART])
    plan_id = OURS.plan_id(SCAN)
    for others in (
        PlanTokens(TokenSigner(b"x" * 32), 7, "me"),
        PlanTokens(KEY, 8, "me"),
        PlanTokens(KEY, 7, "you"),
    ):
        assert others.read_plan_task(task) is None
        assert others.read_plan_id(plan_id) == (False, None)
    assert OURS.read_plan_task(plan_id) is None
    assert OURS.read_plan_id(task) == (False, None)


@given(st.data())
def test_a_changed_token_is_none_of_ours(data: st.DataObject) -> None:
    [text] = OURS.plan_tasks(SCAN, [PART])
    raw = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    assert OURS.read_plan_task(base64.urlsafe_b64encode(raw).decode().rstrip("=")) is None
    assert OURS.read_plan_task(base64.urlsafe_b64encode(raw[:at]).decode().rstrip("=")) is None


def test_a_token_has_one_spelling() -> None:
    [task] = OURS.plan_tasks(SCAN, [PART])
    for last in string.printable.replace(task[-1], ""):
        assert OURS.read_plan_task(task[:-1] + last) is None
    assert OURS.read_plan_task(task + "=") is None


@given(st.text(max_size=80) | st.text(st.sampled_from("AZaz09-_="), max_size=80))
def test_any_other_text_is_none_of_ours(text: str) -> None:
    assert OURS.read_plan_task(text) is None
    assert OURS.read_plan_id(text) == (False, None)
