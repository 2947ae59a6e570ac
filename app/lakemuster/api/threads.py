"""Run requests in threads, limited per table, so that threads remain for requests about other tables.

A request may block on its table's storage. Requests beyond the table's limit wait without a thread.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from fastapi.routing import APIRoute

from lakemuster.catalog.services import Services
from lakemuster.errors import SnapshotChanged

OF_A_TABLE = 16

REPEATS = 2
"""How often a request is repeated because its snapshot changed while it was read."""

P = ParamSpec("P")
T = TypeVar("T")

_SHARES: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, CapacityLimiter]] = WeakKeyDictionary()


async def run_for(name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread, within a table's limit.

    Args:
        name: the table's name, or another key with a limit of its own.
    """
    shares = _SHARES.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    share = shares.get(name)
    if share is None:
        share = shares[name] = CapacityLimiter(OF_A_TABLE)
    return await to_thread.run_sync(functools.partial(work, *args, **kwargs), limiter=share)


def repeating(endpoint: Callable[..., T]) -> Callable[..., T]:
    """Return a function that calls a route's function, and again if a snapshot changed while it was read.

    Replicas of another version index a snapshot again for their own segments, and expiry removes it, between a
    request's choice of the snapshot and its reading of the snapshot's manifests.
    """

    @functools.wraps(endpoint)
    def answer(*args: Any, **values: Any) -> T:
        for _ in range(REPEATS):
            try:
                return endpoint(*args, **values)
            except SnapshotChanged:
                for one in (*args, *values.values()):
                    if isinstance(services := getattr(one, "services", None), Services):
                        services.views.clear()
        return endpoint(*args, **values)

    return answer


class TableRoute(APIRoute):
    """A route whose function runs within its table's limit of threads; a route without a table has its own limit."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **settings: Any) -> None:
        super().__init__(path, endpoint if inspect.iscoroutinefunction(endpoint) else _shared(endpoint), **settings)


def _shared(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    answer = repeating(endpoint)

    @functools.wraps(endpoint)
    async def run(**values: Any) -> Any:
        # The argument is ``table`` in the native and the Iceberg API, ``request`` in Paimon's.
        found = values.get("table", values.get("request"))
        name = getattr(found, "name", None)
        # A partial, since ``values`` may have the names of run_for's own arguments.
        work = functools.partial(answer, **values)
        return await run_for(name if isinstance(name, str) else endpoint.__qualname__, work)

    return run
