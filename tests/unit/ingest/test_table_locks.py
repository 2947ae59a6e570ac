"""Table locks: one holder at a time, and no memory is used for tables without holder."""

from __future__ import annotations

import threading

import pytest

from lakemuster.errors import RefreshBusy
from lakemuster.ingest.table_locks import TableLocks


def test_a_table_that_is_not_locked_any_more_leaves_nothing() -> None:
    locks = TableLocks()
    for table_id in range(100):
        with locks.hold(table_id):
            assert len(locks) == 1
    assert len(locks) == 0


def test_a_thread_that_waits_in_vain_leaves_the_lock_to_its_holder() -> None:
    locks = TableLocks()
    with locks.hold(1):
        with pytest.raises(RefreshBusy), locks.hold(1, 0.01):
            pass
        assert len(locks) == 1
        with pytest.raises(RefreshBusy), locks.hold(1, 0.01):
            pass
    assert len(locks) == 0


def test_threads_hold_a_table_one_after_another() -> None:
    locks, inside, most = TableLocks(), list[int](), list[int]()

    def work(number: int) -> None:
        for _ in range(50):
            with locks.hold(1):
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}
    assert len(locks) == 0
