"""RequestSemaphore grants permits in order of arrival, as long as requests to the catalog end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from lakemuster.upstream.request_semaphore import PermitTimeout, RequestSemaphore
from tests.polling import until


def has_waiting(semaphore: RequestSemaphore, count: int) -> bool:
    return semaphore.waiting == count


def test_turns_are_given_in_the_order_of_arrival() -> None:
    semaphore = RequestSemaphore(1, silence=60, longest=60)
    order: list[int] = []

    def take(number: int) -> None:
        with semaphore.permit():
            order.append(number)

    with ThreadPoolExecutor(8) as pool:
        with semaphore.permit():
            taken = []
            for number in range(8):
                taken.append(pool.submit(take, number))
                until(partial(has_waiting, semaphore, number + 1))
        # A later request does not overtake waiting ones.
        take(8)
        for one in taken:
            one.result()
    assert order == list(range(9))


def test_a_catalog_that_answers_slowly_is_waited_for() -> None:
    semaphore = RequestSemaphore(1, silence=0.5, longest=60)
    ends = [threading.Event() for _ in range(4)]
    held = threading.Semaphore(0)

    def hold(end: threading.Event) -> None:
        with semaphore.permit():
            held.release()
            assert end.wait(60)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(hold, end) for end in ends]
        # The total wait exceeds ``silence``, the limit of one wait without progress.
        for end in ends:
            assert held.acquire(timeout=60)
            assert not end.wait(0.2)
            end.set()
        for one in done:
            one.result()


@pytest.mark.parametrize(("silence", "longest"), [(0.02, 60), (60, 0.02)])
def test_no_turn_while_no_request_ends_or_for_too_long(silence: float, longest: float) -> None:
    semaphore = RequestSemaphore(1, silence, longest)
    with semaphore.permit():
        for _ in range(3):
            with pytest.raises(PermitTimeout), semaphore.permit():
                pass
    with semaphore.permit(), pytest.raises(PermitTimeout), semaphore.permit():
        pass


def test_as_many_as_the_limit_have_a_turn_together_and_never_more() -> None:
    semaphore = RequestSemaphore(3, silence=60, longest=60)
    three = threading.Barrier(3)
    lock, inside, most = threading.Lock(), 0, 0

    def take() -> None:
        nonlocal inside, most
        with semaphore.permit():
            with lock:
                inside += 1
                most = max(most, inside)
            three.wait(60)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(12) as pool:
        for one in [pool.submit(take) for _ in range(240)]:
            one.result()
    assert (inside, most) == (0, 3)
    with semaphore.permit(), semaphore.permit(), semaphore.permit():
        assert semaphore.waiting == 0
