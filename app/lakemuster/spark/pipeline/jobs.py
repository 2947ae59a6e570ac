"""Run one Spark job of many tasks in a thread of its own, in classic and Connect sessions.

Each part is a task. Spark runs a task again when its executor is lost, and perhaps twice when it is slow.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from lakemuster.errors import ConfigInvalid, IndexUnavailable
from lakemuster.extras import pip_install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ASSUMED_SLOTS = 8
_CANCEL_SECONDS = 30.0
_COLUMNS = "error string"


class SparkJob:
    """A running job.

    Args:
        job, digests: see ``executor.run_part``; a digest for each part.
        description: the job's description in Spark's UI.
    """

    def __init__(self, spark: SparkSession, job: bytes, digests: Sequence[bytes], description: str) -> None:
        self._spark, self._name = spark, f"lakemuster-{uuid.uuid4()}"
        self._errors: list[str] = []
        self._failure: Exception | None = None
        self._thread = threading.Thread(
            target=self._run, args=(job, digests, description), name="lakemuster-job", daemon=True
        )
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether all tasks have ended, or the job has failed."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait until the job ends, at most ``seconds``."""
        self._thread.join(seconds)

    def errors(self) -> list[str]:
        """Return the errors of the tasks that could not process their parts.

        Raises:
            ConfigInvalid: executors, or this driver, lack packages.
            IndexUnavailable: the job failed, after the retries that Spark is configured for.
        """
        if self._failure is not None:
            raise _failure(self._failure) from self._failure
        return self._errors

    def close(self) -> None:
        """Cancel the job if it is running."""
        if self.is_over:
            return
        with suppress(Exception):  # the connection to Spark may be closing
            if is_connect(self._spark):
                self._spark.interruptTag(self._name)
            else:
                self._spark.sparkContext.cancelJobGroup(self._name)
        self.wait(_CANCEL_SECONDS)

    def _run(self, job: bytes, digests: Sequence[bytes], description: str) -> None:
        try:
            # Tags and job groups belong to the calling thread.
            if is_connect(self._spark):
                self._spark.addTag(self._name)
            else:
                self._spark.sparkContext.setJobGroup(self._name, description, interruptOnCancel=True)
            numbers = self._spark.range(0, len(digests), 1, len(digests))
            self._errors = [row[0] for row in numbers.mapInArrow(_task(job, digests), _COLUMNS).collect()]
        except Exception as failure:  # noqa: BLE001 - ``errors`` raises it
            self._failure = failure


def slots(spark: SparkSession) -> int:
    """Return the number of tasks that run at once; for Connect an assumed number, since its clients cannot read it."""
    return _ASSUMED_SLOTS if is_connect(spark) else max(1, spark.sparkContext.defaultParallelism)


def is_connect(spark: SparkSession) -> bool:
    """Return whether the session is a client of a Spark Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def _task(job: bytes, digests: Sequence[bytes]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def errors(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakemuster.spark.pipeline.executor import run_part  # noqa: PLC0415 - imported by executors

        for batch in numbers:
            found = [run_part(job, number, digests[number]) for number in batch.column(0).to_pylist()]
            yield pa.record_batch({"error": pa.array([one for one in found if one is not None], pa.string())})

    return errors


def _failure(cause: Exception) -> Exception:
    """Return the error for a failed job, without Spark's text, which holds stack traces and addresses."""
    text = str(cause)
    if isinstance(cause, ImportError):
        return ConfigInvalid(f"Spark's Arrow functions need a package that is not installed: {cause}; {INSTALL}")
    if "No module named" in text:
        missing = text.partition("No module named")[2].split("\n")[0].strip(" '\"")
        return ConfigInvalid(
            f"executors lack the package {missing}: they need Lakemuster with its extra 'server', as the driver does"
        )
    return IndexUnavailable(f"the Spark job failed ({type(cause).__name__}); its log says why")


INSTALL = f"{pip_install('server')}, and pip install 'pyspark[sql]'"
