"""What Lakemuster knows: the small truth in SQL, the entries of manifests in segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Executors and decoders write segments without SQLAlchemy.
    from lakemuster.index.database import Database
    from lakemuster.index.segments import SegmentStore


@dataclass(frozen=True, slots=True)
class Index:
    """The two halves of the index."""

    database: Database
    segments: SegmentStore
