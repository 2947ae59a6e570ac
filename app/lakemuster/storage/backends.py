"""Registries of storage backends, by scheme or by vended credentials; a backend is built when it is first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from lakemuster.storage.backend import Backend
from lakemuster.storage.drivers import S3_COMPATIBLE, WEBHDFS, compatible_options, needed_packages
from lakemuster.storage.locations import HTTP, Location, normal_scheme
from lakemuster.storage.prefix_credentials import CredentialsProvider, PrefixCredentials, find_credentials
from lakemuster.storage.remote import ObjectSource, RemoteObjects


class Backends:
    """Remote backends by scheme, built lazily, once per process."""

    def __init__(self, options: Mapping[str, Mapping[str, object]], deadline_seconds: float) -> None:
        self.options = {normal_scheme(scheme): dict(values) for scheme, values in options.items()}
        self.deadline_seconds = deadline_seconds
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._built: dict[str, Backend] = {}

    def of(self, location: Location) -> Backend:
        """Return the backend of a location."""
        return self.get(location.scheme)

    def get(self, scheme: str) -> Backend:
        """Return the backend of a scheme."""
        if self._process != os.getpid():
            # After a fork, the event loop's thread, and perhaps the holder of the lock, exist in the parent only.
            self._start()
        with self._lock:
            if scheme not in self._built:
                self._built[scheme] = _build(scheme, self.options.get(scheme, {}), self.deadline_seconds)
            return self._built[scheme]


class VendedBackends(Backends):
    """Remote backends by vended credentials."""

    def __init__(
        self, provide: CredentialsProvider, options: Mapping[str, Mapping[str, object]], deadline_seconds: float
    ) -> None:
        super().__init__(options, deadline_seconds)
        self._provide = provide

    def of(self, location: Location) -> Backend:
        """Return the backend for the credentials that cover a location."""
        vended = find_credentials(self._provide(), location)
        with _BY_CREDENTIALS_LOCK:
            backend = _BY_CREDENTIALS.get(vended)
            if backend is None:
                options = vended.merged(self.options.get(location.scheme, {}))
                backend = _BY_CREDENTIALS[vended] = _build(location.scheme, options, self.deadline_seconds)
            return backend


_BY_CREDENTIALS: WeakKeyDictionary[PrefixCredentials, Backend] = WeakKeyDictionary()
"""Backends by credentials. An entry is removed when its credentials are garbage-collected."""
_BY_CREDENTIALS_LOCK = threading.Lock()


def _build(scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> Backend:
    """Build the backend of a scheme.

    Raises:
        ConfigInvalid: the options are wrong, or the extra that the scheme needs is not installed.
    """
    with needed_packages(scheme, "STORAGE"):
        return _opened(scheme, options, deadline_seconds)


def _opened(scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> Backend:
    source = _source(scheme, options, deadline_seconds)
    if source is not None:
        return RemoteObjects(source, deadline_seconds)
    from lakemuster.storage.generic import GenericObjects  # noqa: PLC0415

    return GenericObjects(scheme, options, deadline_seconds)


def _source(scheme: str, options: Mapping[str, Any], deadline_seconds: float) -> ObjectSource | None:
    # Import lazily: importing botocore takes longer than listing a local lake; the other stores' packages are extras.
    if scheme in ("s3", *S3_COMPATIBLE):
        from lakemuster.storage.s3 import S3Source  # noqa: PLC0415

        return S3Source(compatible_options(scheme, options), deadline_seconds)
    if scheme == "gs":
        from lakemuster.storage.gcs import GcsSource  # noqa: PLC0415

        return GcsSource(options, deadline_seconds)
    if scheme == "abfs":
        from lakemuster.storage.azure import AzureSource  # noqa: PLC0415

        return AzureSource(options, deadline_seconds)
    if scheme in WEBHDFS or (scheme == "hdfs" and "webhdfs" in options and not options.get("kerberos")):
        from lakemuster.storage.webhdfs import WebHdfsSource  # noqa: PLC0415

        return WebHdfsSource(scheme, options, deadline_seconds)
    if scheme in HTTP:
        from lakemuster.storage.http import HttpSource  # noqa: PLC0415

        return HttpSource(scheme, options, deadline_seconds)
    return None
