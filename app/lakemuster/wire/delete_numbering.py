"""Number delete files over all pages of a plan, since each page has its own numbering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


class DeleteNumbers:
    """Numbers delete files in the order in which pages list them.

    Attributes:
        rows: the delete files so far; a file's number is its index here.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._places: dict[tuple[str, int | str | None], int] = {}

    def files(self, page: Mapping[str, Sequence[Row]]) -> list[Row]:
        """Return a page's files, whose ``deletes`` are indexes into ``rows``."""
        places = [self._place(row) for row in page["deletes"]]
        return [{**file, "deletes": [places[number] for number in file["deletes"]]} for file in page["files"]]

    def _place(self, row: Row) -> int:
        # Deletion vectors may share a file: their offset in it distinguishes them.
        place = self._places.setdefault((row["file_path"], row.get("content_offset")), len(self.rows))
        if place == len(self.rows):
            self.rows.append(row)
        return place
