"""Content negotiation (RFC 9110): choose one of the offered media types by the ``Accept`` header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakemuster.errors import NotAcceptable

JSON = "application/json"
NDJSON = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"
CSV = "text/csv"
EVENTS = "text/event-stream"
HTML = "text/html"
PLANS = (JSON, NDJSON, ARROW)
LISTS = (*PLANS, CSV)


def choose(accept: str | None, offered: Sequence[str] = LISTS) -> str:
    """Return the offered media type of the highest quality; the first of equals.

    Raises:
        NotAcceptable: the caller accepts none of them.
    """
    if accept is None or not accept.strip():
        return offered[0]
    wanted = list(ranges(accept))
    best = max(offered, key=lambda media: _quality(media, wanted))
    if _quality(best, wanted) <= 0:
        raise NotAcceptable(f"available media types: {', '.join(offered)}")
    return best


def ranges(accept: str) -> Iterator[tuple[str, float]]:
    """Yield the values of a preference header such as ``Accept``, in lower case, with their qualities."""
    for part in accept.split(",")[:50]:
        media, *parameters = (text.strip().lower() for text in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    quality = min(1.0, max(0.0, float(value)))
                except ValueError:
                    quality = 0.0
        if media:
            yield media, quality


def _quality(media: str, wanted: Sequence[tuple[str, float]]) -> float:
    """Return the quality of the most specific range that covers ``media``; 0 if none does."""
    found = dict(wanted)
    for name in (media, media.split("/", maxsplit=1)[0] + "/*", "*/*"):
        if name in found:
            return found[name]
    return 0.0
