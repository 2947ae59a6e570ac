"""The decoder pool: limits of a task, and its isolation from other tasks."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from lakemuster.errors import DecodeFailed, IndexUnavailable, LimitExceeded
from lakemuster.formats.avro import prepare_decoders
from lakemuster.ingest import decode_worker
from lakemuster.ingest.decode import DecoderPool
from lakemuster.kernels import states
from lakemuster.kernels.states import kernel_states
from tests.unit.ingest import tasks

MEMORY = 64 << 20


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    with DecoderPool(1, MEMORY, cpu_seconds=20, wall_seconds=60, prepare=tasks.do_nothing) as pool:
        yield pool


def small_pool(**limits: float) -> DecoderPool:
    return DecoderPool(
        1,
        MEMORY,
        limits.get("cpu_seconds", 20),
        limits.get("wall_seconds", 60),
        prepare=tasks.do_nothing,
        tasks_per_process=int(limits.get("tasks_per_process", 100)),
    )


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(process: int) -> None:
    end = time.monotonic() + 20
    while alive(process):
        assert time.monotonic() < end, "the process is still running"
        time.sleep(0.02)


def test_a_task_runs_in_another_process_which_serves_the_next_one_too(pool):
    first, second = pool.submit(tasks.process_id).result(), pool.submit(tasks.process_id).result()
    assert first == second != os.getpid()


@pytest.mark.parametrize(("prepare", "loads"), [(prepare_decoders, True), (tasks.prepare_without_llvmlite, False)])
def test_the_pool_knows_whether_its_processes_have_the_kernel(monkeypatch, capfd, prepare, loads):
    monkeypatch.setattr(states, "_loads", {})
    with DecoderPool(1, MEMORY, cpu_seconds=20, wall_seconds=60, prepare=prepare) as pool:
        assert pool.submit(tasks.length, b"abc").result() == 3
    assert kernel_states() == {"formats.avro.native": loads}
    assert ("the kernel of formats.avro.native does not load" in capfd.readouterr().err) is not loads


def test_nothing_starts_before_the_first_task():
    pool = small_pool()
    assert not pool._processes
    pool.close()


def test_a_catalog_error_passes_with_its_context(pool):
    with pytest.raises(LimitExceeded, match="too much of it") as caught:
        pool.submit(tasks.refuse).result()
    assert caught.value.context == {"manifest": "m1", "limit": 7}


def test_other_exceptions_are_logged_and_not_shown(pool, caplog):
    with pytest.raises(DecodeFailed) as caught:
        pool.submit(tasks.fail).result()
    assert "private words" not in f"{caught.value} {caught.value.context}"
    assert "KeyError: 'private words'" in caplog.text


def test_a_result_that_does_not_pickle_fails_its_task_only(pool):
    with pytest.raises(DecodeFailed):
        pool.submit(tasks.unpicklable).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_task_that_does_not_pickle_is_the_callers_error(pool):
    with pytest.raises(Exception, match="pickle"):
        pool.submit(tasks.length, lambda: None).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_function_that_workers_cannot_import_fails_its_task_only(pool, monkeypatch):
    def gone() -> None: ...

    gone.__qualname__ = "gone"
    monkeypatch.setattr(tasks, "gone", gone, raising=False)
    gone.__module__ = tasks.__name__
    with pytest.raises(DecodeFailed):
        pool.submit(gone).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_prints_of_a_task_do_not_reach_the_pipe(pool):
    assert pool.submit(tasks.print_noise).result() == "done"
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_task_past_the_memory_limit_fails_alone(pool):
    with pytest.raises(DecodeFailed, match="memory") as caught:
        pool.submit(tasks.eat_memory).result()
    assert caught.value.context["limit_bytes"] == MEMORY
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_arguments_past_the_memory_limit_fail_alone(pool):
    with pytest.raises(DecodeFailed, match="memory"):
        pool.submit(tasks.length, bytes(2 * MEMORY)).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_result_past_the_memory_limit_fails_alone(pool):
    with pytest.raises(DecodeFailed, match="memory"):
        pool.submit(tasks.zeros, MEMORY * 3 // 4).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_process_that_keeps_much_memory_is_replaced(pool):
    before = pool.submit(tasks.keep_memory, MEMORY // 2).result()
    assert pool.submit(tasks.process_id).result() != before


def test_a_task_that_crashes_its_process_fails_alone(pool):
    with pytest.raises(DecodeFailed, match="SIGSEGV"):
        pool.submit(tasks.read_address_zero).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_task_that_leaves_fails_alone(pool):
    with pytest.raises(DecodeFailed) as caught:
        pool.submit(tasks.leave, 3).result()
    assert caught.value.context["status"] == 3
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_a_process_that_died_between_tasks_is_replaced_before_the_next(pool):
    process = pool.submit(tasks.process_id).result()
    os.kill(process, signal.SIGKILL)
    wait_until_gone(process)
    assert pool.submit(tasks.process_id).result() != process


def test_a_task_whose_process_is_killed_from_outside_is_tried_once_more(pool, tmp_path):
    assert pool.submit(tasks.kill_self, str(tmp_path / "killed")).result() == "done"


def test_a_task_whose_process_is_killed_twice_fails_alone(pool):
    with pytest.raises(DecodeFailed, match="SIGKILL"):
        pool.submit(tasks.always_kill_self).result()
    assert pool.submit(tasks.length, b"abc").result() == 3


def test_an_interrupt_does_not_end_a_worker(pool):
    assert pool.submit(tasks.interrupt_self).result() == "still here"


def test_credentials_of_the_service_do_not_reach_workers(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    monkeypatch.setenv("LAKEMUSTER_DATABASE_URL", "postgresql://u:s3cret@db")
    with small_pool() as pool:
        assert pool.submit(tasks.environment, "AWS_SECRET_ACCESS_KEY").result() is None
        assert pool.submit(tasks.environment, "LAKEMUSTER_DATABASE_URL").result() is None


def test_a_task_past_its_cpu_time_fails_and_earlier_tasks_do_not_count():
    with small_pool(cpu_seconds=1) as pool:
        process = pool.submit(tasks.process_id).result()
        for _ in range(3):
            assert pool.submit(tasks.use_cpu, 0.7).result() == "done"
        assert pool.submit(tasks.process_id).result() == process
        with pytest.raises(DecodeFailed, match="CPU"):
            pool.submit(tasks.use_cpu, 30).result()


def test_a_task_past_its_time_fails_and_the_next_one_has_its_own():
    with small_pool(wall_seconds=1) as pool:
        assert pool.submit(tasks.length, b"abc").result() == 3
        with pytest.raises(DecodeFailed, match="longer"):
            pool.submit(tasks.sleep, 30).result()
        assert pool.submit(tasks.sleep, 0.5).result() == "done"


def test_a_process_is_replaced_after_its_tasks():
    with small_pool(tasks_per_process=2) as pool:
        processes = [pool.submit(tasks.process_id).result() for _ in range(4)]
    assert processes[0] == processes[1] != processes[2] == processes[3]


def test_a_machine_without_room_for_a_process_is_not_the_tasks_fault(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("no more processes")

    with small_pool() as pool:
        monkeypatch.setattr(subprocess, "Popen", refuse)
        with pytest.raises(IndexUnavailable, match="did not start"):
            pool.submit(tasks.process_id).result()
        monkeypatch.undo()
        assert pool.submit(tasks.length, b"abc").result() == 3


def test_many_threads_share_a_pool():
    with DecoderPool(2, MEMORY, 20, 60, prepare=tasks.do_nothing) as shared, ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda number: shared.submit(tasks.length, bytes(number)).result(), range(200))
        assert list(answers) == list(range(200))


def test_closing_ends_processes_and_cancels_what_waits():
    pool = small_pool()
    process = pool.submit(tasks.process_id).result()
    running: Future[str] = pool.submit(tasks.sleep, 60)
    waiting = pool.submit(tasks.sleep, 60)
    while not running.running():
        time.sleep(0.01)
    pool.close()
    assert not alive(process)
    assert isinstance(running.exception(), IndexUnavailable)
    assert waiting.cancelled()
    with pytest.raises(RuntimeError):
        pool.submit(tasks.process_id)


def test_a_process_that_does_not_start_fails_the_task():
    with (
        DecoderPool(1, MEMORY, 20, 60, prepare=tasks.fail) as pool,
        pytest.raises(IndexUnavailable, match="did not start"),
    ):
        pool.submit(tasks.process_id).result()


@pytest.mark.parametrize("busy", [False, True])
def test_workers_die_with_a_parent_that_is_killed(busy, repository):
    code = f"""
import sys, time
sys.path[:] = {sys.path!r}
from lakemuster.ingest.decode import DecoderPool
from tests.unit.ingest import tasks
pool = DecoderPool(1, {MEMORY}, 60, 60, prepare=tasks.do_nothing)
print(pool.submit(tasks.process_id).result(), flush=True)
if {busy}: pool.submit(tasks.sleep, 60)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=repository) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert alive(worker)
        time.sleep(0.2)
        parent.kill()
    wait_until_gone(worker)


def test_a_limit_of_memory_beyond_any_machine_is_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    decode_worker._limit_memory(2**70)
    assert limits == [(sys.maxsize, sys.maxsize)]
