"""Parse JSON texts of any size."""

from __future__ import annotations

import orjson

from lakemuster.errors import MetadataCorrupt


def parse_json(data: bytes, what: str) -> object:
    """Parse a JSON text; ``what`` names it in the error.

    Raises:
        MetadataCorrupt: not JSON, or nested deeper than the parser's limit.
    """
    try:
        parsed: object = orjson.loads(data)
    except orjson.JSONDecodeError as cause:
        if cause.msg.startswith("Not enough memory"):  # the process lacks memory; the text may be valid
            raise MemoryError from cause
        raise MetadataCorrupt(f"{what} is not JSON: {cause}") from cause
    return parsed
