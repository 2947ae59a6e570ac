"""The user name sent to an HDFS cluster that checks permissions: from the options, or from Hadoop's environment."""

from __future__ import annotations

import pytest
import requests

from lakemuster.errors import StorageDenied
from lakemuster.storage.store import ObjectStore
from tests.counterparts.hdfs import Cluster
from tests.object_stores import Bucket

pytestmark = pytest.mark.full


@pytest.fixture
def private(hdfs_cluster: Cluster, hdfs_folder: Bucket) -> str:
    """The URL of an object that only its owner, ``lake``, may read."""
    hdfs_folder.put("t/x", b"1")
    folder = hdfs_folder.url.removeprefix(hdfs_cluster.url)
    url = f"{hdfs_cluster.webhdfs}/webhdfs/v1{folder}/t?user.name=lake&op=SETPERMISSION&permission=700"
    requests.put(url, timeout=60).raise_for_status()
    return f"{hdfs_folder.url}/t/x"


def store(cluster: Cluster, **options: str) -> ObjectStore:
    return ObjectStore([cluster.url], {"hdfs": {"webhdfs": cluster.webhdfs, **options}})


def test_the_user_is_that_of_the_options_or_of_hadoops_environment(
    hdfs_cluster: Cluster, private: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store(hdfs_cluster, user="lake").read(private) == b"1"
    for other in (store(hdfs_cluster, user="other"), store(hdfs_cluster)):
        with pytest.raises(StorageDenied):
            other.read(private)
    monkeypatch.setenv("HADOOP_USER_NAME", "lake")
    assert store(hdfs_cluster).read(private) == b"1"
