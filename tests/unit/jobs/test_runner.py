"""Pauses between the runs of a job."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lakemuster.jobs.runner import LONGEST_PAUSE_SECONDS, pause_after


def test_without_failures_runs_come_at_their_interval():
    assert [pause_after(0, every) for every in (0.5, 1.0, 86_400.0)] == [0.5, 1.0, 86_400.0]


@pytest.mark.parametrize("every", [0.1, 1.0, 60.0, 86_400.0])
def test_pauses_after_failures_double_up_to_five_minutes(every: float):
    pauses = [pause_after(failures, every) for failures in range(1, 50)]
    assert all(later == min(2 * earlier, LONGEST_PAUSE_SECONDS) for earlier, later in pairwise(pauses))
    assert 2.0 <= pauses[0] < pauses[-1] == LONGEST_PAUSE_SECONDS


def test_a_job_that_fails_is_tried_again_before_it_is_due():
    assert pause_after(1, 86_400.0) < LONGEST_PAUSE_SECONDS
