"""Collect the comments of a table's columns from the server's schemas."""

from __future__ import annotations

from collections.abc import Iterator

from lakemuster.client.model import Row


def comments_of(schema: Row) -> dict[str, str]:
    """Return the comments of columns by dotted path; elements, keys and values of nested columns have none."""
    return dict(_walk(schema["fields"], ""))


def _walk(fields: list[Row], above: str) -> Iterator[tuple[str, str]]:
    for field in fields:
        path = f"{above}{field['name']}"
        if field.get("doc"):
            yield path, field["doc"]
        yield from _inside(field["type"], path)


def _inside(type: str | Row, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(type, str):
        return
    match type["type"]:
        case "struct":
            yield from _walk(type["fields"], f"{path}.")
        case "list":
            yield from _inside(type["element"], f"{path}.element")
        case "map":
            yield from _inside(type["key"], f"{path}.key")
            yield from _inside(type["value"], f"{path}.value")
