"""One numbering of delete files over all pages of a plan: each page has its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


class DeleteNumbers:
    """Numbers delete files in the order in which pages bring them.

    Attributes:
        rows: the delete files so far; a number is a place here.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._places: dict[tuple[str, int | str | None], int] = {}

    def files(self, page: Mapping[str, Sequence[Row]]) -> list[Row]:
        """A page's files, whose ``deletes`` are places in ``rows``."""
        places = [self._place(row) for row in page["deletes"]]
        return [{**file, "deletes": [places[number] for number in file["deletes"]]} for file in page["files"]]

    def _place(self, row: Row) -> int:
        # Deletion vectors share files: where a file is not enough, where in it tells them apart.
        place = self._places.setdefault((row["file_path"], row.get("content_offset")), len(self.rows))
        if place == len(self.rows):
            self.rows.append(row)
        return place
