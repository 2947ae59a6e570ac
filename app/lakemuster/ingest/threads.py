"""Threads for work that may block on storage, limited for each bucket: a bucket that hangs does not block others."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from lakemuster.errors import Overloaded

MAX_PER_BUCKET = 8
MAX_TOTAL = 64

Work = Callable[[], None]


class BucketThreads:
    """Runs work in threads, limited for each bucket and in all; work that finds no free thread is queued in order.

    Args:
        of_a_bucket: maximum number of threads for one bucket.
        in_all: maximum number of threads for all buckets.
    """

    def __init__(self, of_a_bucket: int = MAX_PER_BUCKET, in_all: int = MAX_TOTAL) -> None:
        self._of_a_bucket = of_a_bucket
        self._in_all = in_all
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._queued: dict[str, deque[Work]] = {}
        self._busy: dict[str, int] = {}
        self._closed = False

    def run(self, bucket: str, work: Work) -> bool:
        """Run ``work``, which handles its own errors, once the bucket has a free thread; return False if closed.

        Raises:
            Overloaded: the system allows no further thread.
        """
        with self._lock:
            if self._closed:
                return False
            if not self._has_room(bucket):
                self._queued.setdefault(bucket, deque()).append(work)
                return True
            self._busy[bucket] = self._busy.get(bucket, 0) + 1
        thread = threading.Thread(target=self._serve, args=(bucket, work), name=f"storage {bucket}", daemon=True)
        try:
            thread.start()
        except RuntimeError as cause:
            with self._idle:
                self._release(bucket)
            raise Overloaded("no thread can be started; try again in a moment") from cause
        return True

    def counts(self) -> dict[str, float]:
        """Return the numbers of busy threads, queued work items, and buckets whose threads are all busy."""
        with self._lock:
            return {
                "busy": sum(self._busy.values()),
                "queued": sum(len(queue) for queue in self._queued.values()),
                "full_buckets": sum(busy >= self._of_a_bucket for busy in self._busy.values()),
            }

    def close(self, seconds: float) -> None:
        """Drop queued work, and wait up to ``seconds`` for running work to end."""
        with self._idle:
            self._closed = True
            self._queued.clear()
            self._idle.wait_for(lambda: not self._busy, seconds)

    def _has_room(self, bucket: str) -> bool:
        return self._busy.get(bucket, 0) < self._of_a_bucket and sum(self._busy.values()) < self._in_all

    def _serve(self, bucket: str, work: Work) -> None:
        following: tuple[str, Work] | None = (bucket, work)
        while following is not None:
            bucket, work = following
            try:
                work()
            finally:
                following = self._next(bucket)

    def _next(self, bucket: str) -> tuple[str, Work] | None:
        """Release a bucket's thread, and reuse it for the longest-waiting work of a bucket that has room."""
        with self._idle:
            self._release(bucket)
            for name, queue in list(self._queued.items()):
                if self._has_room(name):
                    work = queue.popleft()
                    # Round robin over buckets.
                    del self._queued[name]
                    if queue:
                        self._queued[name] = queue
                    self._busy[name] = self._busy.get(name, 0) + 1
                    return name, work
            self._idle.notify_all()
            return None

    def _release(self, bucket: str) -> None:
        self._busy[bucket] -= 1
        if not self._busy[bucket]:
            del self._busy[bucket]
