"""The secret that signs page and plan tokens: one per database, so tokens work on every replica."""

from __future__ import annotations

import secrets

from sqlalchemy import select
from sqlalchemy.orm import Session

from lakemuster.index.database import current_ms
from lakemuster.index.orm import ServerKeyRow
from lakemuster.index.statements import insert_new

_BYTES = 32


def signing_key(session: Session) -> bytes:
    """Return the secret, creating it at first use; needs a session that may write."""
    found: bytes | None = session.scalar(select(ServerKeyRow.secret))
    if found is not None:
        return found
    row = {"id": 1, "secret": secrets.token_bytes(_BYTES), "created_at_ms": current_ms(session)}
    insert_new(session, ServerKeyRow, [row])
    made: bytes = session.scalars(select(ServerKeyRow.secret)).one()
    return made
