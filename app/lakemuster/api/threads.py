"""Limit the threads of requests per table, so that threads remain for requests about other tables.

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

OF_A_TABLE = 16

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


class TableRoute(APIRoute):
    """A route whose function runs within its table's limit of threads; a route without a table has its own limit."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **settings: Any) -> None:
        super().__init__(path, endpoint if inspect.iscoroutinefunction(endpoint) else _shared(endpoint), **settings)


def _shared(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(endpoint)
    async def run(**values: Any) -> Any:
        # The argument is ``table`` in the native and the Iceberg API, ``request`` in Paimon's.
        found = values.get("table", values.get("request"))
        name = getattr(found, "name", None)
        # A partial, since ``values`` may have the names of run_for's own arguments.
        work = functools.partial(endpoint, **values)
        return await run_for(name if isinstance(name, str) else endpoint.__qualname__, work)

    return run
