"""Laws of complements and of counts, for predicates over random tables."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.planner.aggregates.answers import Aggregate, answers
from lakemuster.planner.aggregates.interval import Interval
from lakemuster.predicates import FALSE, TRUE, Bound, NanMode, all_of, any_of, matches
from lakemuster.predicates.complement import complement
from tests.unit.planner.oracle.check import Case, bound_of, cases

RANDOM = st.randoms(use_true_random=False)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
COUNT = Aggregate.parse("count")


def count(case: Case, bound: Bound) -> Interval:
    (answer,) = answers([case.scan], lambda _: bound, [COUNT], nan=case.nan)
    return answer.interval


def most(interval: Interval) -> float:
    return float("inf") if interval.upper is None else float(str(interval.upper))


def least(interval: Interval) -> float:
    return float(str(interval.lower))


@given(RANDOM)
@FEW
def test_every_row_satisfies_a_predicate_or_its_complement(rng: Random) -> None:
    for case in cases(rng):
        bound = bound_of(case)
        other = complement(bound)
        for file in case.table.files:
            for row in case.table.rows_of(file):
                assert matches(bound, row) is True or matches(other, row) is True, (bound, other, row)


@given(RANDOM)
@FEW
def test_the_count_of_a_conjunction_is_within_that_of_each_part(rng: Random) -> None:
    found = list(cases(rng, predicates=4))
    for one, other in pairwise(found):
        parts = [bound_of(case) for case in (one, other)]
        both, either = count(one, all_of(parts)), count(one, any_of(parts))
        for part in parts:
            own = count(one, part)
            assert most(both) <= most(own)
            assert least(both) <= least(own) <= least(either)
            assert most(own) <= most(either)


@given(RANDOM)
@FEW
def test_counts_lie_between_none_and_all(rng: Random) -> None:
    for case in cases(rng, predicates=3):
        whole, own = count(case, TRUE), count(case, bound_of(case))
        assert 0 <= least(own) <= most(own) <= most(whole)
        assert least(own) <= least(whole)
        assert count(case, FALSE) == Interval.of_value(0)


def test_a_predicate_that_may_select_too_much_has_the_complement_of_none() -> None:
    modes: set[NanMode] = set()
    for seed in range(40):
        for case in cases(Random(seed), "floats"):
            if "maybe=True" in repr(bound := bound_of(case)):
                modes.add(case.nan)
                assert "maybe=True" not in repr(complement(bound))
    assert "any" in modes
