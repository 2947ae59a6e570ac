"""S3 for tests: moto's server on a free port, with a new bucket for each test."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

_BUCKETS = count(1)


@dataclass(frozen=True)
class S3Server:
    """A bucket of the server, and its credentials."""

    endpoint_url: str
    key: str
    secret: str
    bucket: str

    @property
    def url(self) -> str:
        """The bucket's location."""
        return f"s3://{self.bucket}"

    @property
    def storage(self) -> dict[str, dict[str, Any]]:
        """The ``STORAGE`` setting for it."""
        return {"s3": {"endpoint_url": self.endpoint_url, "key": self.key, "secret": self.secret}}

    @cached_property
    def client(self) -> Any:
        """A boto3 client, independent of the code under test."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint_url,
            aws_access_key_id=self.key,
            aws_secret_access_key=self.secret,
            region_name="us-east-1",
        )

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""
        self.client.put_object(Bucket=self.bucket, Key=key, Body=data)


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The URL of an S3 server that runs for the test session."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def new_bucket(endpoint: str) -> S3Server:
    """Create a bucket."""
    server = S3Server(endpoint, "muster-key", "muster-secret", f"lake-{next(_BUCKETS)}")
    server.client.create_bucket(Bucket=server.bucket)
    return server


@pytest.fixture
def s3_server(s3_endpoint: str) -> S3Server:
    """A new bucket on the S3 server."""
    return new_bucket(s3_endpoint)
