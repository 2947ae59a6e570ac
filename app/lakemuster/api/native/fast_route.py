"""A fast path past FastAPI's request parsing, for a table in the path with a JSON body or list parameters.

FastAPI resolves each dependency of a route for every request, which is half of the framework's cost. It still handles
every request that the fast path does not parse, and reports what is wrong with it. Both give the same responses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from inspect import unwrap
from typing import Any, get_type_hints

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from lakemuster.api.native.dependencies import Target, permit, the_table
from lakemuster.api.threads import TableRoute, run_for
from lakemuster.errors import FilterInvalid

_JSON = "application/json"


class FastRoute(TableRoute):
    """A route of action ``read``, whose function takes ``table`` and ``body``, or ``table`` and ``query``."""

    async def table_of(self, request: Request) -> Target:
        """The table in the path, if the caller may see it."""
        return await the_table(request, request.path_params["table"])

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the fast handler, which falls back to FastAPI; for functions of other arguments, FastAPI's own."""
        answer, otherwise = unwrap(self.endpoint), super().get_route_handler()
        hints = get_type_hints(answer)
        read, model = (_document, hints["body"]) if "body" in hints else (_parameters, hints.get("query"))
        if model is None:
            return otherwise

        async def handle(request: Request) -> Response:
            parsed = await read(request, model)
            if parsed is None:
                return await otherwise(request)
            permit(request, "read")
            table = await self.table_of(request)
            return await run_for(table.name, answer, table, parsed)

        return handle


async def _document(request: Request, model: type[BaseModel]) -> BaseModel | None:
    """Parse a request's JSON body. None: fall back to FastAPI's parsing."""
    if request.scope["query_string"] or request.headers.get("content-type") != _JSON:
        return None
    try:
        return model.model_validate(json.loads(await request.body()))
    except (ValueError, ValidationError, RecursionError, FilterInvalid):
        return None


async def _parameters(request: Request, model: type[BaseModel]) -> BaseModel | None:
    """Parse a request's query string. None: fall back to FastAPI's parsing."""
    try:
        # ``caller_of`` refuses repeated parameters.
        return model.model_validate(dict(request.query_params))
    except ValidationError:
        return None
