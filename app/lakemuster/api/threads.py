"""Threads of requests: at most so many for one table, so that requests for others always find one.

A request may wait for its table's storage. Requests beyond the table's share wait for a thread without one.
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
    """Run what may block, in a thread of a table's share.

    Args:
        name: of the table, or of what else has a share of its own.
    """
    shares = _SHARES.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    share = shares.get(name)
    if share is None:
        share = shares[name] = CapacityLimiter(OF_A_TABLE)
    return await to_thread.run_sync(functools.partial(work, *args, **kwargs), limiter=share)


class TableRoute(APIRoute):
    """A route whose function runs in its table's share of threads; one that is of no table has a share of its own."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **settings: Any) -> None:
        super().__init__(path, endpoint if inspect.iscoroutinefunction(endpoint) else _shared(endpoint), **settings)


def _shared(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(endpoint)
    async def run(**values: Any) -> Any:
        # The native and the Iceberg API name the argument so; Paimon's the other.
        asked = values.get("table", values.get("asked"))
        name = getattr(asked, "name", None)
        # Values may be of any name, those of run_for's own arguments among them.
        work = functools.partial(endpoint, **values)
        return await run_for(name if isinstance(name, str) else endpoint.__qualname__, work)

    return run
