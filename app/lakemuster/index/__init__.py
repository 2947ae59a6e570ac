"""The index: the SQL database of tables and snapshots, and the segments that hold manifest entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Executors and decoders write segments, and do not import SQLAlchemy.
    from lakemuster.index.database import Database
    from lakemuster.index.segments import SegmentStore


@dataclass(frozen=True, slots=True)
class Index:
    """The index's database and its segment store."""

    database: Database
    segments: SegmentStore
