"""Run one Spark job of many parts and report its progress, in classic and Connect sessions.

Each part is a task. Spark runs a task again when its executor is lost, and perhaps twice when it is slow.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakemuster.errors import ConfigInvalid, IndexUnavailable
from lakemuster.extras import pip_install
from lakemuster.spark.pipeline.outcome_rows import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Watch = Callable[[int], None]
"""Called with the number of parts done."""

_POLL_SECONDS = 0.5
_ASSUMED_SLOTS = 8
_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


def run_parts(spark: SparkSession, job: bytes, parts: Sequence[bytes], description: str, watch: Watch) -> list[Any]:
    """The rows that executors return for all parts.

    Args:
        job, parts: see ``executor.run_part``.
        description: the job's description in Spark's UI.

    Raises:
        ConfigInvalid: executors, or this driver, lack packages.
        IndexUnavailable: the job failed, after the retries that Spark is configured for.
    """
    watching = _on_connect if is_connect(spark) else _on_classic
    numbers = spark.range(0, len(parts), 1, len(parts))
    with watching(spark, len(parts), description, watch):
        try:
            return list(numbers.mapInArrow(_task(job, parts), COLUMNS).collect())
        except Exception as cause:
            raise _failure(cause) from cause


def slots(spark: SparkSession) -> int:
    """The number of tasks that run at once; for Connect an assumed number, since its clients cannot read it."""
    return _ASSUMED_SLOTS if is_connect(spark) else max(1, spark.sparkContext.defaultParallelism)


def is_connect(spark: SparkSession) -> bool:
    """Whether the session is a client of a Spark Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def _task(job: bytes, parts: Sequence[bytes]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def answers(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakemuster.spark.pipeline.executor import run_part  # noqa: PLC0415
        from lakemuster.spark.pipeline.outcome_rows import batch_of  # noqa: PLC0415 - imported by executors

        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield batch_of(run_part(job, parts[number]))

    return answers


@contextmanager
def _on_classic(spark: SparkSession, parts: int, description: str, watch: Watch) -> Iterator[None]:
    """Put this thread's jobs into a group, poll their progress, and cancel them if the block raises."""
    context = spark.sparkContext
    before = [(name, context.getLocalProperty(name)) for name in _GROUP]
    group = f"lakemuster-{uuid.uuid4()}"
    context.setJobGroup(group, description, interruptOnCancel=True)
    tracker, done = context.statusTracker(), threading.Event()

    def poll() -> None:
        while not done.wait(_POLL_SECONDS):
            with suppress(Exception):  # the gateway to the JVM may be closing
                jobs = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
                stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
                watch(min(parts, sum(stage.numCompletedTasks for stage in stages if stage is not None)))

    watcher = threading.Thread(target=poll, name="lakemuster-progress", daemon=True)
    watcher.start()
    try:
        yield
    except BaseException:
        with suppress(Exception):
            context.cancelJobGroup(group)
        raise
    finally:
        done.set()
        watcher.join()
        for name, value in before:
            context.setLocalProperty(name, value)


@contextmanager
def _on_connect(spark: Any, parts: int, _description: str, watch: Watch) -> Iterator[None]:
    """Tag the operation, receive its progress, and interrupt it if the block raises."""
    tag = f"lakemuster-{uuid.uuid4()}"

    def on_progress(stages: Any, **_: Any) -> None:
        completed = [stage.num_completed_tasks for stage in stages or () if stage.num_tasks == parts]
        if completed:
            watch(min(parts, max(completed)))

    spark.addTag(tag)
    spark.registerProgressHandler(on_progress)
    try:
        yield
    except BaseException:
        with suppress(Exception):
            spark.interruptTag(tag)
        raise
    finally:
        spark.removeProgressHandler(on_progress)
        spark.removeTag(tag)


def _failure(cause: Exception) -> Exception:
    """The error for a failed job. It omits Spark's text, which holds stack traces of three languages and addresses."""
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
