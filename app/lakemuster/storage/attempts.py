"""Retries for remote storage. This is the only layer of retries: the stores' clients make none."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lakemuster.errors import CatalogError, StorageUnavailable

T = TypeVar("T")

PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6)


async def persist(
    attempt: Callable[[], Awaitable[T]],
    where: str,
    deadline_seconds: float,
    failure_of: Callable[[BaseException, str], CatalogError],
) -> T:
    """Retry until an attempt succeeds or fails permanently, or the deadline passes.

    Args:
        where: the location for messages.
        failure_of: maps an attempt's error to a CatalogError; only StorageUnavailable is retried.

    Raises:
        CatalogError: the last failure, or StorageUnavailable at the deadline.
    """
    failure: CatalogError = StorageUnavailable(f"{where}: no answer within {deadline_seconds:g} s")
    try:
        async with asyncio.timeout(deadline_seconds):
            for pause in (*PAUSES_SECONDS, None):
                try:
                    return await attempt()
                except Exception as error:
                    failure = failure_of(error, where)
                    if pause is None or not isinstance(failure, StorageUnavailable):
                        raise failure from error
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
    except TimeoutError as cause:
        raise StorageUnavailable(f"{where}: no answer within {deadline_seconds:g} s") from cause
    raise failure
