"""Plan tasks: cut a plan into parts that different readers can read independently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lakemuster.errors import PageTokenInvalid
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan.plan import Plan, PlanPart
from lakemuster.planner.scan.plan_rules import Splitting, groups_of
from lakemuster.planner.scan.planned_rows import SplitRange

PartKey = tuple[int, ...]
"""A part of a plan as numbers, which a token can hold."""

_NO_END = -1
_OTHER = 1
_NOTHING = PlanPart(end=START)


def cut(plan: Plan, files: int) -> Iterator[PartKey]:
    """Cut a plan into parts of about ``files`` files each; entries that only their own statistics drop count too.

    Files that must be read together stay in one part, even if that makes it larger: such plans
    are cut between splits. The key of a part of another branch has one number more.
    """
    if plan.second_branch is not None:
        yield from cut(replace(plan, second_branch=None), files)
        yield from ((*key, _OTHER) for key in cut(plan.second_branch, files))
        return
    if plan.scan.rules.reads_together:
        of = groups_of(plan.scan).splits(plan.scan, plan.bound, _splitting(plan))
        yield from _runs(np.bincount(of), files)
        return
    for start, end in plan.ranges(files):
        yield (*start, *((_NO_END, 0) if end is None else end))


def part(plan: Plan, key: PartKey) -> Plan:
    """Return the part of a plan that a key of :func:`cut` identifies.

    Raises:
        PageTokenInvalid: the key is of another kind of plan.
    """
    if plan.second_branch is not None:
        if len(key) % 2:
            return replace(plan, within=_NOTHING, second_branch=part(plan.second_branch, key[:-1]))
        own = part(replace(plan, second_branch=None), key)
        return replace(plan, within=own.within, second_branch=replace(plan.second_branch, within=_NOTHING))
    if plan.scan.rules.reads_together and len(key) == 2:
        return replace(plan, within=PlanPart(splits=SplitRange(_splitting(plan), *key)))
    if len(key) != 4 or plan.scan.rules.reads_together:
        raise PageTokenInvalid("this plan task belongs to another kind of plan: plan again")
    end = None if key[2] == _NO_END else Position(*key[2:])
    return replace(plan, within=PlanPart(Position(*key[:2]), end))


def _splitting(plan: Plan) -> Splitting:
    """Return the requested splitting, else the table's own."""
    return groups_of(plan.scan).own_splitting(plan.scan) if plan.splitting is None else plan.splitting


def _runs(counts: NDArray[np.int64], files: int) -> Iterator[PartKey]:
    """Yield ranges of consecutive splits that have about ``files`` files together."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = 0 if first == 0 else int(ends[first - 1])
        end = max(first + 1, int(np.searchsorted(ends, before + files, side="right")))
        yield first, end
        first = end
