"""Errors of drivers are mapped to the most specific error class."""

from __future__ import annotations

import errno

import pytest
from botocore.exceptions import ClientError
from s3fs.errors import ERROR_CODE_TO_EXCEPTION, translate_boto_error

from lakemuster.errors import ObjectMissing, StorageDenied, StorageError, StorageUnavailable
from lakemuster.storage.failures import failure_of
from lakemuster.storage.s3 import S3Source


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError(errno.ENOENT, "hunter2"), ObjectMissing),
        (FileNotFoundError("hunter2"), ObjectMissing),
        (NotADirectoryError(errno.ENOTDIR, "hunter2"), ObjectMissing),
        (IsADirectoryError(errno.EISDIR, "hunter2"), ObjectMissing),
        (OSError(errno.ENAMETOOLONG, "hunter2"), ObjectMissing),
        (PermissionError("hunter2"), StorageDenied),
        (OSError(errno.EACCES, "hunter2"), StorageDenied),
        (ConnectionResetError("hunter2"), StorageUnavailable),
        (TimeoutError("hunter2"), StorageUnavailable),
        (OSError(errno.EIO, "hunter2"), StorageUnavailable),
        (OSError(errno.ESTALE, "hunter2"), StorageUnavailable),
        (OSError(errno.EMFILE, "hunter2"), StorageUnavailable),
        (OSError("hunter2"), StorageUnavailable),
        (ImportError("hunter2", name="gcsfs"), StorageError),
        (RuntimeError("hunter2"), StorageError),
    ],
    ids=repr,
)
def test_errors_are_mapped(error: Exception, kind: type[StorageError]) -> None:
    failure = failure_of(error, "s3://lake/x")
    assert type(failure) is kind
    assert failure.message.startswith("s3://lake/x: ")
    assert "hunter2" not in f"{failure} {failure.context}"


def test_a_failure_of_the_system_has_its_reason() -> None:
    assert (
        failure_of(OSError(errno.EIO, "hunter2"), "/lake/x").message == "/lake/x: storage failed (input/output error)"
    )
    said = failure_of(ConnectionRefusedError(errno.ECONNREFUSED, "hunter2"), "s3://lake/x").message
    assert said == "s3://lake/x: storage does not answer (connection refused)"


def test_our_own_errors_pass_unchanged() -> None:
    ours = ObjectMissing("x")
    assert failure_of(ours, "y") is ours


def _status_of(code: str) -> int:
    return {FileNotFoundError: 404, PermissionError: 403}.get(ERROR_CODE_TO_EXCEPTION[code], 400)


@pytest.mark.parametrize("code", ERROR_CODE_TO_EXCEPTION)
def test_we_agree_with_s3fs_on_every_code_that_it_knows(code: str) -> None:
    status = int(code) if code.isdigit() else _status_of(code)
    told = ClientError(
        {"Error": {"Code": code, "Message": "hunter2"}, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetObject"
    )
    theirs = translate_boto_error(told)
    source = S3Source({}, 30)
    ours = source.failure_of(theirs, "s3://lake/x")
    assert type(source.failure_of(told, "s3://lake/x")) is type(ours)
    assert isinstance(ours, StorageError)
    assert "hunter2" not in str(ours)
    if isinstance(theirs, FileNotFoundError):
        assert isinstance(ours, ObjectMissing)
    elif ERROR_CODE_TO_EXCEPTION[code] is PermissionError:
        assert isinstance(ours, StorageDenied)
    elif isinstance(theirs, TimeoutError) or getattr(theirs, "errno", None) == errno.EREMOTEIO:
        assert isinstance(ours, StorageUnavailable)
