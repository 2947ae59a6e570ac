"""Keep what other libraries write by themselves off stderr.

Records without a handler, and exceptions that Python ignores, are printed with their traceback: they may hold signed
URLs, and stand between the JSON lines of a server. What fails is reported by our own errors.
"""

from __future__ import annotations

import logging
import sys

LOG = logging.getLogger("lakemuster.libraries")
_OWN = logging.Filter("lakemuster")


def silence_libraries() -> None:
    """Drop the records of other libraries that no handler takes; log ignored exceptions at level debug."""
    if logging.lastResort is not None:
        logging.lastResort.addFilter(_OWN)
    sys.unraisablehook = _log_ignored


def _log_ignored(ignored: sys.UnraisableHookArgs) -> None:
    LOG.debug("an exception was ignored: %s", ignored.exc_type.__name__)
