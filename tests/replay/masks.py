"""Parts of responses that differ between two runs of the same code, and why; each mask is as narrow as possible.

A mask covers a field, never a whole body: the text around the captured part must be in both responses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tests.replay.exchanges import Answer

COVER = b"\xe2\x80\xa6"


@dataclass(frozen=True, slots=True)
class Mask:
    """A pattern whose named group ``differs`` may differ in the responses to some operations.

    Attributes:
        operations: a pattern of ``METHOD template``.
    """

    name: str
    reason: str
    operations: re.Pattern[str]
    pattern: re.Pattern[bytes]

    def cover(self, body: bytes) -> bytes:
        """Return the body with the parts that may differ replaced by ``COVER``."""

        def covered(match: re.Match[bytes]) -> bytes:
            start, end = (place - match.start() for place in match.span("differs"))
            return match[0][:start] + COVER + match[0][end:]

        return self.pattern.sub(covered, body)


MASKS = (
    Mask(
        "seconds of a refresh",
        "the time that the look took",
        re.compile(r"POST /api/v1/tables/\{table\}/refresh"),
        re.compile(rb'"seconds":(?P<differs>[0-9.e-]+)'),
    ),
    Mask(
        "checked_at of a table",
        "the time of the last look, which a refresh, a registration or MAX_STALENESS=0 makes new",
        re.compile(r"(GET /api/v1/tables(/\{table\})?)|POST /api/v1/tables"),
        re.compile(rb'"checked_at":"(?P<differs>[0-9T:.Z-]{24})"'),
    ),
    Mask(
        "id of a Paimon table that was registered in the run",
        "it is made of the time of the registration; ids of tables that were there before must be the same",
        re.compile(r"GET /paimon/v1/lakemuster/(tables/id|databases/\{database\}/table).*"),
        re.compile(rb'"id":"(?P<differs>[0-9a-f-]{36})","database":"again\.'),
    ),
)

TOKENS = Mask(
    "tokens",
    "only with --own-tokens: what they hold is the server's own affair",
    re.compile(r".*"),
    re.compile(
        rb'"(?:next_page_token|nextPageToken|next-page-token|plan-id|plan[_-]tasks)":\s*(?P<differs>"[^"]*"|\[[^\]]*\])'
    ),
)


def masked(answer: Answer, operation: str, masks: tuple[Mask, ...]) -> tuple[Answer, tuple[str, ...]]:
    """Return the response with the parts that may differ covered, and the names of the masks that were used.

    Remove ``Content-Length`` from a covered response, since the body may have another length.
    """
    body, used = answer.body, []
    for mask in masks:
        if mask.operations.fullmatch(operation):
            covered = mask.cover(body)
            if covered != body:
                used.append(mask.name)
            body = covered
    if not used:
        return answer, ()
    headers = tuple(pair for pair in answer.headers if pair[0] != "content-length")
    return replace(answer, headers=headers, body=body), tuple(used)
