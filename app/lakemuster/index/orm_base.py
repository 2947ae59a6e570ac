"""The base of the ORM classes, and their column types."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import BigInteger, Dialect, ForeignKey, Integer, LargeBinary, MetaData, Text
from sqlalchemy.orm import DeclarativeBase, mapped_column
from sqlalchemy.types import TypeDecorator

from lakemuster.index.stored_text import escape, unescape

MAX_INDEXED_BYTES = 1024
"""Maximum length of a text in a unique index: PostgreSQL rejects index entries above 2,704 bytes."""


def can_be_indexed(text: str) -> bool:
    """Tell whether the stored form of a text fits in an index."""
    return len(escape(text).encode()) <= MAX_INDEXED_BYTES


class AnyText(TypeDecorator[str]):
    """Text that may hold NUL and lone surrogates, which databases reject; equal texts have equal stored forms."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape characters that cannot be stored."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Undo the escaping."""
        return None if value is None else unescape(value)


Int64 = Annotated[int, mapped_column(BigInteger)]
RowId = Annotated[int, mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)]
TableId = Annotated[int, mapped_column(BigInteger, ForeignKey("catalog_table.id", ondelete="CASCADE"))]
String = Annotated[str, mapped_column(AnyText)]
Document = Annotated[bytes, mapped_column(LargeBinary)]


class Base(DeclarativeBase):
    """Base of all ORM classes. Constraint names follow a convention, so that migrations can drop them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
