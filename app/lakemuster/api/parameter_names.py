"""The names of a route's parameters, to suggest the one that a misspelt name may mean."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

from lakemuster.validation_messages import did_you_mean


def suggestion(request: Request, where: tuple[object, ...]) -> str:
    """Return a hint at the similar parameter or key that the request's route knows; "" if there is none.

    Args:
        where: the place of the unknown name: ``("query", name)`` or ``("body", name)``. Nested keys get no hint.
    """
    route = request.scope.get("route")
    match where:
        case ("query", str(name)) if (dependant := getattr(route, "dependant", None)) is not None:
            return did_you_mean(name, _query_names(dependant))
        case ("body", str(name)) if (body := getattr(route, "body_field", None)) is not None:
            return did_you_mean(name, _names(body.name, body.field_info.annotation))
    return ""


def _query_names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        yield from _names(field.alias, field.field_info.annotation)
    for below in dependant.dependencies:
        yield from _query_names(below)


def _names(name: str, kind: object) -> Iterator[str]:
    """Yield the names of a model's fields; ``name`` for any other type."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for own, field in kind.model_fields.items():
            yield field.alias or own
    else:
        yield name
