"""A fast path for routes with a table in the path and a JSON body, which bypasses FastAPI's dependency injection.

FastAPI resolves every dependency of a route for each request, which takes longer than most plans. A plan needs only
the check of the action's role, the table, and the parsed body. FastAPI still handles every request that is not of this
plain form, and reports its errors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from inspect import unwrap
from typing import Any, get_type_hints

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from lakemuster.api.native.dependencies import Needs, Target, permit, the_table
from lakemuster.api.threads import TableRoute, repeating, run_for
from lakemuster.errors import CatalogError

_JSON = "application/json"


class BodyRoute(TableRoute):
    """A route whose function takes ``table`` and ``body``; any other function is called by FastAPI.

    Dependencies other than :class:`Needs` and the table are skipped, so they may only document the request.
    """

    async def table_of(self, request: Request) -> Target:
        """Return the table in the path, if the caller may see it."""
        return await the_table(request, request.path_params["table"])

    def is_plain(self, request: Request) -> bool:
        """Return whether the skipped dependencies would accept a request."""
        return not request.scope["query_string"] and request.headers.get("content-type") == _JSON

    def body_model(self) -> type[BaseModel] | None:
        """Return the model of the body; None if FastAPI handles every request of the route."""
        hints = get_type_hints(unwrap(self.endpoint))
        return hints["body"] if hints.keys() == {"table", "body", "return"} else None

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's handler."""
        answer, by_fastapi, model = repeating(unwrap(self.endpoint)), super().get_route_handler(), self.body_model()
        if model is None:
            return by_fastapi
        declared = [one.dependency for one in self.dependencies]
        (action,) = {one.action for one in declared if isinstance(one, Needs)}

        async def handle(request: Request) -> Response:
            body = _parsed(await request.body(), model) if self.is_plain(request) else None
            if body is None:
                return await by_fastapi(request)
            permit(request, action)
            table = await self.table_of(request)
            return await run_for(table.name, answer, table, body)

        return handle


def _parsed(body: bytes, model: type[BaseModel]) -> BaseModel | None:
    """Parse a body; return None if it is invalid."""
    try:
        return model.model_validate(json.loads(body))
    except (ValueError, RecursionError, CatalogError):
        return None
