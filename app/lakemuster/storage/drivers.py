"""Which fsspec driver opens a scheme, with which options, and which extra brings it.

Our options are those of the driver. Three kinds of stores have more: OSS and COS speak S3, with virtual-hosted buckets
and without the checksums that botocore adds; HDFS is read through WebHDFS where ``webhdfs`` gives its URLs, otherwise
through libhdfs; an HTTP URL's path is literal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

from lakemuster.errors import ConfigInvalid
from lakemuster.extras import pip_install
from lakemuster.storage.locations import HTTP, Location

S3_COMPATIBLE = ("oss", "cos")
WEBHDFS = ("webhdfs", "swebhdfs")
EXTRAS = {"gs": "gcs", "abfs": "azure", "hdfs": "hdfs", "webhdfs": "hdfs", "swebhdfs": "hdfs"}
"""The extras that bring what schemes need, by scheme in its normal spelling."""

_PACKAGES = {
    "gs": ("gcsfs", "google"),
    "abfs": ("adlfs", "azure"),
    "hdfs": ("requests",),
    "webhdfs": ("requests",),
    "swebhdfs": ("requests",),
}


@contextmanager
def needed_packages(scheme: str, setting: str) -> Iterator[None]:
    """Name the extra that a scheme needs when the block fails for want of a package.

    Raises:
        ConfigInvalid: a package is not installed.
    """
    try:
        yield
    except ImportError as cause:
        # fsspec raises another ImportError, without the module's name, from that of the module.
        name = cause.name or getattr(cause.__cause__, "name", None) or ""
        extra = EXTRAS.get(scheme)
        if extra is None or not name or name.partition(".")[0] not in _PACKAGES[scheme]:
            raise
        raise ConfigInvalid(
            f"{setting}: {scheme}:// needs lakemuster[{extra}], which is not installed ({name} is missing): "
            f"{pip_install(extra)}"
        ) from cause


def driver_of(scheme: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The fsspec protocol and options for a scheme in its normal spelling.

    Raises:
        ConfigInvalid: a URL of WebHDFS is none.
    """
    if scheme in S3_COMPATIBLE:
        return "s3", compatible_options(scheme, options)
    if scheme in HTTP:
        return scheme, {"allow_redirects": False, **options, "encoded": True}
    if scheme == "hdfs" and "webhdfs" in options:
        more = {name: value for name, value in with_hadoop_user(options).items() if name != "webhdfs"}
        return "webhdfs", {**webhdfs_address(options["webhdfs"]), **more}
    if scheme in WEBHDFS:
        return "webhdfs", {"use_https": scheme == "swebhdfs", **with_hadoop_user(options)}
    return scheme, dict(options)


def compatible_options(scheme: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of s3fs for S3 or for a store that speaks S3."""
    if scheme not in S3_COMPATIBLE:
        return dict(options)
    config = dict(options.get("config_kwargs") or {})
    config["s3"] = {"addressing_style": "virtual", **dict(config.get("s3") or {})}
    for checksum in ("request_checksum_calculation", "response_checksum_validation"):
        config.setdefault(checksum, "when_required")
    return {**options, "config_kwargs": config}


def with_hadoop_user(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of WebHDFS, with the user of ``HADOOP_USER_NAME`` where they name nobody, as Hadoop's clients do."""
    user = os.environ.get("HADOOP_USER_NAME")
    if not user or options.get("kerberos") or any(options.get(name) is not None for name in ("user", "token")):
        return dict(options)
    return {**options, "user": user}


def webhdfs_urls(setting: object) -> list[str]:
    """The URLs of name nodes that the option ``webhdfs`` gives: one, or a list of those that take turns.

    Raises:
        ConfigInvalid: it gives none.
    """
    urls = [setting] if isinstance(setting, str) else list(setting) if isinstance(setting, list | tuple) else []
    for url in urls:
        parts = urlsplit(url) if isinstance(url, str) else None
        if parts is None or parts.scheme not in HTTP or not parts.hostname or parts.username or parts.query:
            urls = []
    if not urls:
        raise ConfigInvalid(
            "STORAGE: the option webhdfs for hdfs must be a URL such as http://namenode:9870, or a list"
        )
    return [str(url).rstrip("/") for url in urls]


def webhdfs_address(setting: object) -> dict[str, Any]:
    """The options of fsspec's WebHDFS for the first of these URLs."""
    parts = urlsplit(webhdfs_urls(setting)[0])
    use_https = parts.scheme == "https"
    return {"host": parts.hostname, "port": parts.port or (9871 if use_https else 9870), "use_https": use_https}


def driver_path(location: Location) -> str | None:
    """The path of a location as the methods of its driver take it; None: as the driver itself derives it."""
    if location.scheme in HTTP:
        return f"{location.scheme}://{location.bucket}/{quote(location.key, safe='/~')}"
    if location.scheme == "abfs":
        return f"{location.bucket.partition('@')[0]}/{location.key}".rstrip("/")
    if location.scheme in S3_COMPATIBLE:
        return f"{location.bucket}/{location.key}".rstrip("/")
    if location.scheme in ("hdfs", *WEBHDFS):
        return f"/{location.key}"
    return None
