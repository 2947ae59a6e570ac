"""A certificate is reloaded when its files change; an invalid one is ignored."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

import pytest
from cryptography import x509

from lakemuster.cli.tls import Certificate
from tests.certificates import write_certificate


def served_name(context: ssl.SSLContext, server_name: str | None = None) -> str:
    """Return the common name of the certificate that a new connection receives."""
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.verify_mode = ssl.CERT_NONE
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server, server_hostname=server_name)
    server = context.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    der = client.getpeercert(binary_form=True)
    assert der is not None
    return str(x509.load_der_x509_certificate(der).subject.rfc4514_string())


@pytest.mark.parametrize("server_name", [None, "muster.example"])
def test_a_new_certificate_is_for_new_connections(tmp_path: Path, server_name: str | None) -> None:
    cert, key = write_certificate(tmp_path, "first")
    certificate = Certificate(str(cert), str(key))
    assert served_name(certificate.context, server_name) == "CN=first"
    write_certificate(tmp_path, "second")
    assert served_name(certificate.context, server_name) == "CN=first"
    certificate.look()
    assert served_name(certificate.context, server_name) == "CN=second"


def test_a_pair_that_does_not_match_changes_nothing_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cert, key = write_certificate(tmp_path, "first")
    certificate = Certificate(str(cert), str(key))
    (tmp_path / "other").mkdir()
    other, _ = write_certificate(tmp_path / "other", "other")
    cert.write_bytes(other.read_bytes())
    for _ in range(3):
        certificate.look()
        assert served_name(certificate.context) == "CN=first"
    assert len([each for each in caplog.records if each.levelno == logging.ERROR]) == 1
    cert.unlink()
    certificate.look()
    assert served_name(certificate.context) == "CN=first"
    write_certificate(tmp_path, "third")
    certificate.look()
    assert served_name(certificate.context) == "CN=third"
