"""Map errors of storage drivers to CatalogErrors, without their text: it may hold credentials, hosts or signed URLs."""

from __future__ import annotations

import asyncio
import errno
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LimitExceeded,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
    WrongLength,
)
from lakemuster.failure_reasons import reason_of

_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}
_DENIED = {errno.EACCES, errno.EPERM}


def failure_of(error: BaseException, where: str) -> CatalogError:
    """Map an error of the operating system, fsspec or asyncio to a CatalogError.

    Args:
        where: the location, redacted for messages.
    """
    if isinstance(error, CatalogError):
        return error
    if isinstance(error, (TimeoutError, asyncio.TimeoutError, ConnectionError, EOFError)):
        return unanswered(error, where)
    if isinstance(error, ImportError):
        return StorageError(f"{where}: the package that reads this storage is not installed ({error.name})")
    if isinstance(error, OSError):
        if isinstance(error, (FileNotFoundError, NotADirectoryError, IsADirectoryError)) or error.errno in _MISSING:
            return ObjectMissing(f"{where}: no such object")
        if isinstance(error, PermissionError) or error.errno in _DENIED:
            return StorageDenied(f"{where}: access denied")
        return StorageUnavailable(f"{where}: storage failed ({reason_of(error)})")
    return StorageError(f"{where}: storage failed ({type(error).__name__})")


def unanswered(error: BaseException, where: str) -> StorageUnavailable:
    """Return the error for a request without a response.

    Args:
        where: the location, redacted for messages.
    """
    return StorageUnavailable(f"{where}: storage does not answer ({reason_of(error)})")


def check_size(size: int, expected_length: int | None, max_bytes: int, where: str) -> None:
    """Reject an object whose size is wrong or too large, before its bytes are fetched.

    Raises:
        WrongLength: the size differs from the length recorded in metadata.
        LimitExceeded: the size is above ``max_bytes``.
    """
    if expected_length is not None and size != expected_length:
        raise WrongLength(
            f"{where}: {size} bytes long, but its metadata says {expected_length}",
            expected=expected_length,
            actual=size,
        )
    if size > max_bytes:
        raise LimitExceeded(f"{where}: {size} bytes long, the limit is {max_bytes}", limit=max_bytes, actual=size)


_OURS = {"asynchronous", "loop", "session", "skip_instance_cache", "use_listings_cache", "version_aware"}


def checked_options(scheme: str, constructor: Callable[..., Any], options: Mapping[str, Any], *more: str) -> None:
    """Reject options that the driver would ignore, or that Lakemuster sets itself.

    Args:
        constructor: the driver's constructor; its named parameters are the options.
        more: further accepted options.

    Raises:
        ConfigInvalid: an option is not accepted; the message has its name, never its value.
    """
    known = set(inspect.signature(constructor).parameters) - {"self", "kwargs"} - _OURS | set(more)
    unknown = sorted(set(options) - known)
    if unknown:
        raise ConfigInvalid(f"STORAGE: unknown options for {scheme}: {', '.join(unknown)}")
