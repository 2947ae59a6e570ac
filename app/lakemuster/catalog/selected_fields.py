"""Select fields of a list's rows, as the parameter ``fields`` names them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import orjson
import pyarrow as pa

from lakemuster.catalog.listings import Listing, Page
from lakemuster.catalog.lists import words
from lakemuster.catalog.page_tokens import Key
from lakemuster.errors import RequestInvalid
from lakemuster.wire.documents import EXTRA, dumps
from lakemuster.wire.rows import Written


@dataclass(frozen=True, slots=True)
class SelectedFields:
    """A list whose rows have the named fields only, in this order; fields that a row does not have are left out."""

    listing: Listing
    names: tuple[str, ...]

    @property
    def schema(self) -> pa.Schema:
        """The named columns; a field without a column of its own, which ``extra`` has, becomes text."""
        whole = self.listing.schema
        return pa.schema([whole.field(name) if self._is_column(name) else (name, pa.string()) for name in self.names])

    def page(self, after: Key | None, size: int) -> Page:
        """Return a page of the list."""
        page = self.listing.page(after, size)
        rows = orjson.loads(b"[" + bytes(page.items) + b"]")
        return replace(page, items=b",".join(dumps(self._selected(row)) for row in rows))

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all rows."""
        for count, lines in self.listing.lines():
            rows = map(orjson.loads, bytes(lines).splitlines())
            yield count, b"".join(dumps(self._selected(row)) + b"\n" for row in rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows."""
        schema = self.schema
        is_whole = all(map(self._is_column, self.names))
        for batch in self.listing.batches():
            further = [] if is_whole else [orjson.loads(text or "{}") for text in batch.column(EXTRA).to_pylist()]
            columns = [
                batch.column(name)
                if self._is_column(name)
                else pa.array([_text(row.get(name)) for row in further], pa.string())
                for name in self.names
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _is_column(self, name: str) -> bool:
        return name in self.listing.schema.names

    def _selected(self, row: dict[str, object]) -> dict[str, object]:
        return {name: row[name] for name in self.names if name in row}


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else dumps(value).decode()


def with_fields(listing: Listing, fields: str | None, others: Collection[str] = ()) -> Listing:
    """Return a list with only the fields of a comma-separated text; None selects all.

    Args:
        others: names of fields without a column of their own.

    Raises:
        RequestInvalid: the list has no such field, or the text names none.
    """
    names = words(fields)
    if names is None:
        return listing
    columns = [name for name in listing.schema.names if name != EXTRA]
    unknown = [name for name in names if name not in columns and name not in others]
    if unknown or not names:
        known = ", ".join(dict.fromkeys((*columns, *others)))
        wrong = f"no such field: {', '.join(unknown)}" if unknown else "fields names no field"
        raise RequestInvalid(f"{wrong}; the list has {known}", fields=unknown)
    return SelectedFields(listing, tuple(dict.fromkeys(names)))
