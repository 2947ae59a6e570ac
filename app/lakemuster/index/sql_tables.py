"""All SQL tables of the index, for migrations."""

from __future__ import annotations

from lakemuster.index import orm, orm_events
from lakemuster.index.orm_base import Base

DEFINED_IN = (orm, orm_events)
"""The modules that define the tables' classes."""
METADATA = Base.metadata
