"""The usual request, read in one go: a table in the path, and a document of JSON, or parameters of a list.

FastAPI looks at each of a route's dependencies anew for every request, which takes half of what the framework costs.
Whatever is not usual, it reads, and says what is wrong with it: the same requests are answered alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from inspect import unwrap
from typing import Any, get_type_hints

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from lakemuster.api.native.dependencies import Target, caller_of, the_table
from lakemuster.api.threads import TableRoute, run_for
from lakemuster.errors import FilterInvalid

_JSON = "application/json"


class FastRoute(TableRoute):
    """A route of callers who may read, of a function of ``table`` and ``asked``, or of ``table`` and ``query``."""

    async def table_of(self, request: Request) -> Target:
        """The table that the path names, if it may exist for the caller."""
        return await the_table(request, request.path_params["table"])

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Answer the usual request, or let FastAPI do; it does all for functions that are asked otherwise."""
        answer, otherwise = unwrap(self.endpoint), super().get_route_handler()
        hints = get_type_hints(answer)
        read, model = (_document, hints["asked"]) if "asked" in hints else (_parameters, hints.get("query"))
        if model is None:
            return otherwise

        async def handle(request: Request) -> Response:
            asked = await read(request, model)
            if asked is None:
                return await otherwise(request)
            caller_of(request).require("read")
            table = await self.table_of(request)
            return await run_for(table.name, answer, table, asked)

        return handle


async def _document(request: Request, model: type[BaseModel]) -> BaseModel | None:
    """What a request's body says; None when it, or something else of the request, is not as it mostly is."""
    if request.scope["query_string"] or request.headers.get("content-type") != _JSON:
        return None
    try:
        return model.model_validate(json.loads(await request.body()))
    except (ValueError, ValidationError, RecursionError, FilterInvalid):
        return None


async def _parameters(request: Request, model: type[BaseModel]) -> BaseModel | None:
    """What a request's query string says; None when it says anything that lists are not asked."""
    try:
        # Parameters that stand twice are refused where the caller is looked for.
        return model.model_validate(dict(request.query_params))
    except ValidationError:
        return None
