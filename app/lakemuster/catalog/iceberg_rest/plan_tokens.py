"""Plan tasks and plan ids: stateless, signed tokens, each valid for one table and one caller only.

A plan task holds the scan, compressed if it is large, and a range of the plan. A plan id holds the scan, or only a
digest of a large one, because it is part of URLs. The signature binds a token to the registration of the table and to
the caller. A modified or foreign token is treated as unknown.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass, fields

from lakemuster.catalog.token_signing import Audience, TokenRefused, TokenSigner
from lakemuster.planner.rows import START, Position
from lakemuster.predicates import NanMode

MAX_ID_CHARACTERS = 2000
SMALL_BYTES = 1000
"""Maximum bytes of a scan that is not compressed: compressing it would take longer than everything else."""
_ID, _TASK = "plan-id", "plan-task"
_RANGE = struct.Struct(">qqqq")
_TO_THE_END = Position(-1, -1)
_WHOLE, _DIGEST = b"w", b"d"

Range = tuple[Position, Position | None]


@dataclass(frozen=True, slots=True)
class Scan:
    """All that a plan depends on besides the table.

    Attributes:
        snapshot_id, row_id: the snapshot, and the index's own id of it, which is never reused; None for an empty
            table.
        after: for an incremental scan, the snapshot after which it begins.
        schema_id: the schema whose names the filter uses.
        other_schema_id: another schema whose names it may use instead; None for none.
        filter: the JSON document; None for all rows.
        statistics: ids of the columns whose statistics are returned.
        min_rows: the number of rows that suffice; None for all.
        nan: how comparisons treat NaN.
    """

    snapshot_id: int | None
    row_id: int | None
    after: int | None
    schema_id: int
    filter: object
    case_sensitive: bool
    statistics: tuple[int, ...]
    min_rows: int | None
    nan: NanMode = "any"
    other_schema_id: int | None = None


@dataclass(frozen=True, slots=True)
class PlanTokens:
    """Writes and reads the tokens of one table and caller."""

    signer: TokenSigner
    table_id: int
    caller: str

    def plan_id(self, scan: Scan) -> str:
        """Return the id of a scan's plan."""
        packed = _packed(scan)
        whole = self._signed(_ID, _WHOLE + packed)
        if len(whole) <= MAX_ID_CHARACTERS:
            return whole
        return self._signed(_ID, _DIGEST + hashlib.sha256(packed).digest())

    def plan_tasks(self, scan: Scan, ranges: list[Range]) -> list[str]:
        """Return plan tasks for ranges of a scan's plan."""
        packed = _packed(scan)
        return [self._signed(_TASK, _RANGE.pack(*start, *(end or _TO_THE_END)) + packed) for start, end in ranges]

    def read_plan_id(self, text: str) -> tuple[bool, Scan | None]:
        """Return whether a plan id is valid, and its scan if it holds one."""
        raw = self._verified(_ID, text)
        return raw is not None, _unpacked(raw[1:]) if raw is not None and raw[:1] == _WHOLE else None

    def read_plan_task(self, text: str) -> tuple[Scan, Range] | None:
        """Return the scan and range of a plan task; None if it is not valid."""
        raw = self._verified(_TASK, text)
        if raw is None:
            return None
        *start, end_part, end_offset = _RANGE.unpack_from(raw)
        end = Position(end_part, end_offset)
        return _unpacked(raw[_RANGE.size :]), (Position(*start), None if end == _TO_THE_END else end)

    def _signed(self, purpose: str, contents: bytes) -> str:
        return self.signer.sign(contents, self._audience(purpose))

    def _verified(self, purpose: str, text: str) -> bytes | None:
        try:
            return self.signer.verify(text, self._audience(purpose))
        except TokenRefused:
            return None

    def _audience(self, purpose: str) -> Audience:
        return Audience(self.table_id, purpose, {}, self.caller)


EVERYTHING: Range = (START, None)


_FIELDS = tuple(field.name for field in fields(Scan))
# The standard library's JSON: a filter may hold integers of any size.
_encode = json.JSONEncoder(separators=(",", ":")).encode


def _packed(scan: Scan) -> bytes:
    stated = {name: getattr(scan, name) for name in _FIELDS}
    if scan.other_schema_id is None:
        del stated["other_schema_id"]  # which earlier releases do not know
    text = _encode(stated).encode()
    return text if len(text) <= SMALL_BYTES else zlib.compress(text, 1)


def _unpacked(packed: bytes) -> Scan:
    found = json.loads(packed if packed.startswith(b"{") else zlib.decompress(packed))
    return Scan(**{**found, "statistics": tuple(found["statistics"])})
