"""Recognition of loopback hosts."""

from __future__ import annotations

import pytest

from lakemuster.config import check_exposure, load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.loopback import host_names, is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "127.255.0.9", "localhost", "::1", "0:0:0:0:0:0:0:1"])
def test_a_loopback_address_is_served_without_tokens(host: str) -> None:
    assert is_loopback(host)
    check_exposure(load_settings(host=host), insecure_public=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "127.0.0.1.evil.example", "", "127.1"])
def test_another_host_needs_tokens(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(ConfigInvalid, match="TOKENS"):
        check_exposure(load_settings(host=host), insecure_public=False)


def test_the_host_header_may_name_the_own_address_and_no_other() -> None:
    assert host_names("127.0.0.1") == host_names("localhost") == {"127.0.0.1", "localhost", "[::1]"}
    assert host_names("127.0.0.2") - host_names("127.0.0.1") == {"127.0.0.2"}
    assert host_names("0:0:0:0:0:0:0:1") - host_names("::1") == {"[0:0:0:0:0:0:0:1]"}
