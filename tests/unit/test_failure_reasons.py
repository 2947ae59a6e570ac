"""Reasons of driver failures, and the details of errors that operators see."""

from __future__ import annotations

import errno
import pickle
import socket
import ssl

import httpx
import pytest
from botocore.exceptions import EndpointConnectionError

from lakemuster.errors import IndexUnavailable
from lakemuster.failure_reasons import operator_message, reason_of

SECRET = "https://user:hunter2@host/?X-Amz-Signature=hunter2"


def refused() -> OSError:
    return ConnectionRefusedError(errno.ECONNREFUSED, f"Connect call failed {SECRET}")


def caused(error: Exception, cause: Exception) -> Exception:
    error.__context__ = cause
    return error


def certificate(number: int) -> Exception:
    error = ssl.SSLCertVerificationError(1, f"certificate verify failed {SECRET}")
    error.verify_code = number
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (caused(httpx.ConnectError(SECRET), refused()), "connection refused"),
        (caused(httpx.ConnectError(SECRET), ExceptionGroup(SECRET, [refused()])), "connection refused"),
        (caused(httpx.ConnectError(SECRET), socket.gaierror(-2, SECRET)), "its host name is not known"),
        (caused(httpx.ConnectError(SECRET), certificate(19)), "its TLS certificate is not trusted"),
        (certificate(10), "its TLS certificate has expired"),
        (certificate(62), "its TLS certificate is for another host"),
        (httpx.ReadTimeout(SECRET), "no answer in time"),
        (EndpointConnectionError(endpoint_url=SECRET, error=refused()), "EndpointConnectionError"),
        (caused(EndpointConnectionError(endpoint_url=SECRET, error=""), refused()), "connection refused"),
        (OSError(errno.EROFS, SECRET), "read-only file system"),
        (RuntimeError(f"connect to {SECRET}: Connection refused"), "connection refused"),
        (RuntimeError(SECRET), "RuntimeError"),
    ],
)
def test_a_reason_is_found_among_the_causes_and_holds_no_text_of_theirs(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_cycle_of_causes_ends() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    assert reason_of(one) == "ValueError"


def test_notes_are_for_the_operator_only() -> None:
    error = IndexUnavailable("the database does not answer")
    error.add_note("db:5432/lake: connection refused")
    assert operator_message(error) == "the database does not answer: db:5432/lake: connection refused"
    assert error.message == str(error) == "the database does not answer"
    assert operator_message(pickle.loads(pickle.dumps(error))) == "the database does not answer"
