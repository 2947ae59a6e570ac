"""Drivers of URL schemes: their options, and the extra that the error for a missing package names."""

from __future__ import annotations

import sys

import fsspec
import pytest

from lakemuster.errors import ConfigInvalid
from lakemuster.storage.drivers import driver_of
from lakemuster.storage.store import ObjectStore


@pytest.mark.parametrize(("scheme", "package", "extra"), [("gs", "gcsfs.core", "gcs"), ("abfs", "adlfs.spec", "azure")])
def test_a_missing_extra_is_named(scheme: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    source = {"gs": "lakemuster.storage.gcs", "abfs": "lakemuster.storage.azure"}[scheme]
    monkeypatch.delitem(sys.modules, source, raising=False)
    with pytest.raises(ConfigInvalid, match=rf"lakemuster\[{extra}\].*pip install"):
        ObjectStore([f"{scheme}://lake"], {}).check_options()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError("libhdfs: hunter2"), r"option webhdfs.*lakemuster\[hdfs\].*HADOOP_HOME"),
        (ModuleNotFoundError("hunter2", name="requests"), r"lakemuster\[hdfs\].*pip install"),
    ],
)
def test_hdfs_without_its_driver_names_what_is_needed(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: str) -> type:
        raise error

    monkeypatch.setattr(fsspec, "get_filesystem_class", fails)
    with pytest.raises(ConfigInvalid, match=words) as told:
        ObjectStore(["hdfs://node:8020/w"], {}).check_options()
    assert "hunter2" not in str(told.value)


def test_stores_that_speak_s3_take_its_driver_with_virtual_hosts() -> None:
    protocol, options = driver_of("oss", {"endpoint_url": "https://oss.example"})
    assert protocol == "s3"
    assert options["config_kwargs"]["s3"] == {"addressing_style": "virtual"}
    own = {"config_kwargs": {"s3": {"addressing_style": "path"}}}
    assert driver_of("cos", own)[1]["config_kwargs"]["s3"] == {"addressing_style": "path"}


def test_hdfs_is_read_through_webhdfs_where_its_url_is_given() -> None:
    assert driver_of("hdfs", {"user": "me"}) == ("hdfs", {"user": "me"})
    address = {"host": "name", "port": 9871, "use_https": True, "user": "me"}
    assert driver_of("hdfs", {"webhdfs": "https://name", "user": "me"}) == ("webhdfs", address)


def test_the_user_of_webhdfs_is_that_of_hadoops_environment_unless_the_options_name_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = {"webhdfs": "http://name"}
    assert "user" not in driver_of("hdfs", address)[1]
    monkeypatch.setenv("HADOOP_USER_NAME", "lake")
    assert driver_of("hdfs", address)[1]["user"] == "lake"
    assert driver_of("webhdfs", {})[1]["user"] == "lake"
    assert driver_of("hdfs", {**address, "user": "me"})[1]["user"] == "me"
    for own in ({"token": "secret"}, {"kerberos": True}):
        assert "user" not in driver_of("hdfs", {**address, **own})[1]
