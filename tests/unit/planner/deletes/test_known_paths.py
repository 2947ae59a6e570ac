"""Look-ups of the paths that delete files refer to, against a dictionary."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.deletes.known_paths import TAIL, KnownPaths

NAMES = st.builds(
    lambda folder, number, tail: f"s3://lake/{folder}/{number}-{tail}.parquet",
    st.sampled_from(["", "é/", "a" * TAIL]),
    st.integers(0, 30),
    st.sampled_from(["", "0" * (TAIL - 30), "0" * (TAIL - 9), "0" * TAIL]),
)
"""Short names, names about as long as the compared suffix, and names that differ only before it."""


@given(st.lists(NAMES, unique=True), st.lists(NAMES), st.integers(0, 3))
def test_known_paths_are_found_and_no_others(known: list[str], asked: list[str], skipped: int) -> None:
    """Arrays may be slices."""
    paths = KnownPaths.of(pa.array([*["other"] * skipped, *known], pa.string()).slice(skipped))
    locations = [*asked, *known]
    found = paths.numbers(pa.array(["other", *locations], pa.string()).slice(1))
    assert found.tolist() == [known.index(path) if path in known else -1 for path in locations]


def test_most_unknown_paths_skip_the_lookup() -> None:
    """This includes names of one write that differ only before their shared id."""
    name = "s3://lake/db/table/data/{:05}-{}-8f2b5a4e-6a0c-4a57-9a39-0f3f2f4d1c55-0-00001.parquet"
    paths = KnownPaths.of(pa.array([name.format(n, n + 7) for n in range(2_000)]))
    looked_up: list[str] = []

    class Counted(dict[str, int]):
        def get(self, path: str, default: int = -1) -> int:  # type: ignore[override]
            looked_up.append(path)
            return super().get(path, default)

    paths = KnownPaths(Counted(paths._numbers), paths._taken)
    others = pa.array([name.format(n, n + 7) for n in range(2_000, 12_000)])
    assert set(paths.numbers(others).tolist()) == {-1}
    assert len(looked_up) < len(others) / 8
