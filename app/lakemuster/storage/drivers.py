"""The fsspec driver and options of each scheme, and the extra that installs it.

The options are those of the driver, with three exceptions. OSS and COS are read as S3, with virtual-hosted buckets and
without the checksums that botocore adds. HDFS is read through WebHDFS if the option ``webhdfs`` gives its URLs,
otherwise through libhdfs. The path of an HTTP URL is literal.
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
"""The extras that install the packages of schemes, by scheme in its normal spelling."""

_PACKAGES = {
    "gs": ("gcsfs", "google"),
    "abfs": ("adlfs", "azure"),
    "hdfs": ("requests",),
    "webhdfs": ("requests",),
    "swebhdfs": ("requests",),
}
_HDFS = (
    "set the option webhdfs to the name nodes' URLs (lakemuster[hdfs]), "
    "or HADOOP_HOME, JAVA_HOME and CLASSPATH on a machine with libhdfs"
)


@contextmanager
def needed_packages(scheme: str, setting: str) -> Iterator[None]:
    """Raise an error that names the extra of a scheme if the block fails because a package is missing.

    Raises:
        ConfigInvalid: a package is not installed, or libhdfs does not load.
    """
    try:
        yield
    except OSError as cause:
        if scheme != "hdfs":
            raise
        raise ConfigInvalid(f"{setting}: hdfs:// cannot be opened through libhdfs; {_HDFS}") from cause
    except ImportError as cause:
        # fsspec wraps the ImportError in another one without the module's name.
        name = cause.name or getattr(cause.__cause__, "name", None) or ""
        extra = EXTRAS.get(scheme)
        if extra is None or not name or name.partition(".")[0] not in _PACKAGES[scheme]:
            raise
        raise ConfigInvalid(
            f"{setting}: {scheme}:// needs lakemuster[{extra}], which is not installed ({name} is missing): "
            f"{pip_install(extra)}"
        ) from cause


def driver_of(scheme: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the fsspec protocol and options for a scheme in its normal spelling.

    Raises:
        ConfigInvalid: the option ``webhdfs`` has an invalid URL.
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
    """Return the options of s3fs for S3 or for a store with an S3 API."""
    if scheme not in S3_COMPATIBLE:
        return dict(options)
    config = dict(options.get("config_kwargs") or {})
    config["s3"] = {"addressing_style": "virtual", **dict(config.get("s3") or {})}
    for checksum in ("request_checksum_calculation", "response_checksum_validation"):
        config.setdefault(checksum, "when_required")
    return {**options, "config_kwargs": config}


def with_hadoop_user(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of WebHDFS; like Hadoop's clients, take a missing user from ``HADOOP_USER_NAME``."""
    user = os.environ.get("HADOOP_USER_NAME")
    if not user or options.get("kerberos") or any(options.get(name) is not None for name in ("user", "token")):
        return dict(options)
    return {**options, "user": user}


def webhdfs_urls(setting: object) -> list[str]:
    """Return the name nodes' URLs from the option ``webhdfs``: one URL, or a list for failover.

    Raises:
        ConfigInvalid: there is none, or one is invalid.
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
    """Return the options of fsspec's WebHDFS driver for the first URL of the option ``webhdfs``."""
    parts = urlsplit(webhdfs_urls(setting)[0])
    use_https = parts.scheme == "https"
    return {"host": parts.hostname, "port": parts.port or (9871 if use_https else 9870), "use_https": use_https}


def driver_path(location: Location) -> str | None:
    """Return a location's path for its driver's methods; None to let the driver derive it from the URL."""
    if location.scheme in HTTP:
        return f"{location.scheme}://{location.bucket}/{quote(location.key, safe='/~')}"
    if location.scheme == "abfs":
        return f"{location.bucket.partition('@')[0]}/{location.key}".rstrip("/")
    if location.scheme in S3_COMPATIBLE:
        return f"{location.bucket}/{location.key}".rstrip("/")
    if location.scheme in ("hdfs", *WEBHDFS):
        return f"/{location.key}"
    return None
