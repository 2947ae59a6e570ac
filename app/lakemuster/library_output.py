"""Keep the output of other libraries off stderr.

By default, log records without a handler and exceptions that Python ignores are printed, with their traceback. They
may contain signed URLs, and would stand between a server's JSON lines. Failures are reported by our own errors.
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
