"""fsspec filesystems: built from the operator's options, called within a deadline.

The generic storage backend, the segment store and the executors' readers use them. Listings and instances are not
cached, so that calls see the current state of storage.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import fsspec
import fsspec.asyn

from lakemuster.storage.drivers import driver_of, driver_path, needed_packages
from lakemuster.storage.locations import Location

_MODIFIED = ("mtime", "LastModified", "last_modified", "updated", "created")
_MODIFIED_MS = "modificationTime"
"""The name in infos of WebHDFS, in milliseconds."""


class Filesystem:
    """One fsspec implementation with one set of options.

    Args:
        scheme: in its normal spelling.

    Raises:
        ConfigInvalid: the extra that the scheme needs is not installed.
        ValueError, ImportError, TypeError: fsspec does not know the scheme, lacks its driver, or rejects an option;
            drivers may raise other exceptions.
    """

    def __init__(self, scheme: str, options: Mapping[str, object]) -> None:
        protocol, given = driver_of(scheme, options)
        with needed_packages(scheme, "STORAGE"):
            kind = fsspec.get_filesystem_class(protocol)
            self.driver: Any = kind(**given, skip_instance_cache=True, use_listings_cache=False)

    def path(self, url: str) -> str:
        """Return the path of a URL for the driver's methods."""
        found = driver_path(Location.parse(url))
        path: str = self.driver._strip_protocol(url) if found is None else found  # noqa: SLF001
        return path

    def call(self, method: str, *args: object, deadline_seconds: float | None = None, **named: object) -> Any:
        """Call a method of the driver and wait for it.

        Args:
            deadline_seconds: applies to drivers that run on an event loop; others have timeouts of their own.

        Raises:
            FSTimeoutError: no result within the deadline; a ``TimeoutError`` of fsspec.
            Exception: any exception of the driver.
        """
        if deadline_seconds is not None and self.driver.async_impl and hasattr(self.driver, f"_{method}"):
            work = getattr(self.driver, f"_{method}")
            return fsspec.asyn.sync(self.driver.loop, work, *args, timeout=deadline_seconds, **named)
        return getattr(self.driver, method)(*args, **named)


def modified_ms(info: Mapping[str, Any]) -> int | None:
    """Return an object's modification time from a driver's info, as Unix epoch milliseconds; None if it has none."""
    if isinstance(milliseconds := info.get(_MODIFIED_MS), int):
        return milliseconds
    moment = next((info[name] for name in _MODIFIED if info.get(name) is not None), None)
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            return None
    if isinstance(moment, datetime):
        return int(moment.timestamp() * 1000)
    return int(moment * 1000) if isinstance(moment, int | float) else None
