"""Write lists in the formats of a response: pages of JSON, JSON lines, Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar, cast

import numpy as np
import pyarrow as pa

from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.page_writers import list_writer
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.rows import START, Position, RowSource, TableSource, conform
from lakemuster.wire.documents import Document, document_batch, dumps
from lakemuster.wire.rows import CHUNK_BYTES, Written, chunks, json_items, json_lines

PAGE_BYTES = 16 * 2**20
"""A page ends early when its JSON exceeds this size in bytes."""

DOCUMENTS_AT_ONCE = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list as the inside of a JSON array.

    Attributes:
        after: the key that the next page begins after; None on the last page.
        total: the number of rows of the whole list; None where counting them is not cheap.
    """

    items: Written
    after: Key | None
    total: int | None = None


class Streamed(Protocol):
    """A list that can be streamed whole."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of ``batches``."""
        ...

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield the whole list as JSON lines: some rows at a time, as their number and text."""
        ...

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the whole list in batches of ``schema``."""
        ...


class Listing(Streamed, Protocol):
    """A list that can be paged or streamed."""

    def page(self, after: Key | None, size: int) -> Page:
        """Return at most ``size`` rows after a key; None starts at the beginning."""
        ...


@dataclass(frozen=True, slots=True)
class RowListing:
    """The rows of a snapshot's list."""

    source: RowSource

    @property
    def schema(self) -> pa.Schema:
        """The source's schema."""
        return self.source.schema

    def page(self, after: Key | None, size: int) -> Page:
        """Return rows from the position at which the previous page ended."""
        at = START if after is None else Position(*cast("tuple[int, int]", after))
        items: list[Written] = []
        rows = length = 0
        total = self.source.table.num_rows if isinstance(self.source, TableSource) else None
        if isinstance(self.source, EntrySource):
            at, items, rows = _kept_texts(self.source, at, size, follows=after is not None)
            length = sum(map(len, items))
            is_full = rows >= size or length > PAGE_BYTES
            if is_full and (at.offset or self.source.unfiltered_batch(at) is not None):
                return Page(joined(items), (*at,))
        for position, batch in self.source.batches(at):
            offset = position.offset
            for chunk in chunks(batch):
                if rows >= size or length > PAGE_BYTES:
                    return Page(joined(items), (position.part, offset), total)
                taken = chunk.slice(0, size - rows)
                items.append(json_items(taken))
                rows += taken.num_rows
                offset += taken.num_rows
                length += len(items[-1])
                if taken.num_rows < chunk.num_rows:
                    return Page(joined(items), (position.part, offset), total)
        return Page(joined(items), None, total)

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all rows."""
        for _, batch in self.source.batches(START):
            for chunk in chunks(batch):
                yield chunk.num_rows, json_lines(chunk)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, each batch conformed to the list's schema."""
        schema = self.source.schema
        for _, batch in self.source.batches(START):
            for chunk in chunks(batch):
                yield conform(chunk, schema)


def joined(items: Sequence[Written]) -> Written:
    """Join the insides of JSON arrays; a single one is not copied."""
    return items[0] if len(items) == 1 else b",".join(items)


def _kept_texts(source: EntrySource, at: Position, size: int, *, follows: bool) -> tuple[Position, list[Written], int]:
    """Write the first rows of a page with cached writers; return the position after them, their JSON, their number.

    Args:
        follows: it is not the first page, so further pages are likely: a missing writer is made at once.
    """
    items: list[Written] = []
    rows = length = 0
    while rows < size and length <= PAGE_BYTES and (whole := source.unfiltered_batch(at)) is not None:
        count, start = whole.batch.num_rows, at.offset - whole.first
        writer = list_writer(source, whole, at_once=follows) if size < count else None
        if writer is None:
            break
        step = max(1, count * CHUNK_BYTES // pa.ipc.get_record_batch_size(whole.batch))
        end = min(count, start + min(step, size - rows))
        items.append(writer.write(np.arange(start, end), ["},"])[:-1])
        rows, length = rows + end - start, length + len(items[-1])
        place = whole.first + end
        at = Position(at.part, place) if place < whole.rows else Position(at.part + 1, 0)
    return at, items, rows


@dataclass(frozen=True, slots=True)
class DocumentListing(Generic[T]):
    """A list of few, larger items: tables, snapshots, schemas.

    Attributes:
        items: in increasing order of their keys.
        key: returns an item's key, which does not change while others are added and removed.
        descending: the items are in decreasing order.
    """

    schema: pa.Schema
    items: Sequence[T]
    key: Callable[[T], Key]
    document: Callable[[T], Document]
    descending: bool = False

    def page(self, after: Key | None, size: int) -> Page:
        """Return the items that follow the last one shown."""
        rest = self.items if after is None else [item for item in self.items if self._follows(item, after)]
        shown = rest[:size]
        items = b",".join(dumps(self.document(item)) for item in shown)
        return Page(items, self.key(shown[-1]) if len(rest) > len(shown) else None, len(self.items))

    def reverse(self) -> DocumentListing[T]:
        """Return the same items in the other order."""
        return replace(self, items=self.items[::-1], descending=not self.descending)

    def _follows(self, item: T, after: Key) -> bool:
        return self.key(item) < after if self.descending else self.key(item) > after

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all items."""
        for some in self._portions():
            yield len(some), b"".join(dumps(document) + b"\n" for document in some)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all items."""
        for some in self._portions():
            yield document_batch(some, self.schema)

    def _portions(self) -> Iterator[list[Document]]:
        for at in range(0, len(self.items), DOCUMENTS_AT_ONCE):
            yield [self.document(item) for item in self.items[at : at + DOCUMENTS_AT_ONCE]]


def sorted_documents(
    schema: pa.Schema,
    items: Iterable[T],
    value: Callable[[T], int | str | None],
    tie: Callable[[T], Key],
    document: Callable[[T], Document],
    *,
    descending: bool = False,
) -> DocumentListing[T]:
    """Return a list sorted by a value, then by a unique key in the same direction; items without a value come last."""

    def key(item: T) -> Key:
        own = value(item)
        is_first = (own is None) == descending
        return (int(not is_first), *(() if own is None else (own,)), *tie(item))

    return DocumentListing(schema, sorted(items, key=key, reverse=descending), key, document, descending)


def in_order(listing: DocumentListing[T], order: str | None) -> DocumentListing[T]:
    """Return a list in ascending order as it is; in descending order, reversed."""
    return listing.reverse() if order == "desc" else listing
