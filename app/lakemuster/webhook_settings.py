"""Settings of one webhook: a table ``[webhooks.NAME]`` of the settings file."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from lakemuster.errors import ConfigInvalid
from lakemuster.event_types import TYPES

MAX_WEBHOOKS = 32
"""Limit of webhooks: each has a connection, a thread and a background job of its own."""
MAX_KEYS = 4
"""Limit of keys that sign one event."""
KEY_PREFIX = "whsec_"
KEY_BYTES = (24, 64)
"""Minimum and maximum length of a key; Standard Webhooks, "Signature scheme"."""
_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class WebhookSettings(BaseModel):
    """A receiver of events."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: str = Field(max_length=2048, description="Where events are sent to: an http or https URL.")
    secret: tuple[SecretStr, ...] = Field(
        (),
        max_length=MAX_KEYS,
        description="Keys that sign events: `whsec_` and base64; two while one replaces the other.",
    )
    secret_file: str | None = Field(None, description="File with the keys, one a line, in place of `secret`.")
    types: tuple[str, ...] = Field((), description="Types of events that are sent; empty: all.")
    namespaces: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="Namespaces whose tables are told of, with all below them; `*` in a level matches any characters. "
        "Empty: all tables.",
    )
    max_tries: int = Field(30, ge=1, le=1000, description="Tries of one event; then it is a dead letter.")
    max_age: float = Field(
        86_400.0,
        gt=0,
        le=30 * 86_400,
        allow_inf_nan=False,
        description="Age of an event in seconds beyond which three tries that fail make it a dead letter.",
    )

    @field_validator("secret", mode="before")
    @classmethod
    def _secrets(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str | SecretStr) else tuple(value) if isinstance(value, list) else value

    @field_validator("types", "namespaces", mode="before")
    @classmethod
    def _no_list(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("url")
    @classmethod
    def _is_http(cls, value: str) -> str:
        try:
            url = urlsplit(value)
            has_host = url.hostname is not None and (url.port is None or url.port > 0)
        except ValueError:
            has_host = False
        if not has_host or url.scheme not in {"http", "https"} or url.fragment or not _can_be_requested(value):
            raise ValueError("must be an http or https URL without a fragment")
        if url.username is not None or url.password is not None:
            raise ValueError("must not hold a user or password: receivers check the signature")
        return value

    @field_validator("secret")
    @classmethod
    def _are_keys(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for secret in value:
            key_of(secret.get_secret_value())
        return value

    @field_validator("types")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(TYPES):
            raise ValueError(f"types of events are {', '.join(TYPES)}")
        return value

    @model_validator(mode="after")
    def _is_signed(self) -> Self:
        if bool(self.secret) == (self.secret_file is not None):
            raise ValueError("needs either secret or secret_file")
        return self

    @property
    def origin(self) -> str:
        """Scheme, host and port of the URL, whose path and query may be secret."""
        url = urlsplit(self.url)
        host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
        return f"{url.scheme}://{host}{'' if url.port is None else f':{url.port}'}"

    def keys(self) -> tuple[bytes, ...]:
        """Return the keys that sign events. A secret file is read at every call.

        Raises:
            ConfigInvalid: the secret file cannot be read, or does not hold keys.
        """
        if self.secret_file is None:
            return tuple(key_of(secret.get_secret_value()) for secret in self.secret)
        try:
            lines = Path(self.secret_file).read_text("utf-8").split()
            return _keys_of(lines)
        except (OSError, ValueError) as cause:
            reason = cause.strerror if isinstance(cause, OSError) else str(cause)
            # Not `from cause`: its traceback would contain the file's content.
            raise ConfigInvalid(f"the secret file of a webhook cannot be used: {reason}") from None

    def __repr_args__(self) -> Any:
        """Return only attributes without secrets."""
        return [("url", self.origin), ("types", self.types), ("namespaces", self.namespaces)]


def _keys_of(lines: Sequence[str]) -> tuple[bytes, ...]:
    if not 0 < len(lines) <= MAX_KEYS:
        raise ValueError(f"it has more than {MAX_KEYS} keys" if lines else "it is empty")
    return tuple(map(key_of, lines))


def _can_be_requested(url: str) -> bool:
    """Return whether the HTTP client accepts a URL: its host name must be one, also in its ASCII form."""
    import httpx  # noqa: PLC0415 - commands without webhooks do not need it

    try:
        _ = httpx.URL(url).host
    except (httpx.InvalidURL, ValueError):
        return False
    return url.isprintable() and " " not in urlsplit(url).netloc


def key_of(secret: str) -> bytes:
    """Decode a key.

    Raises:
        ValueError: it does not begin with ``whsec_``, is not base64, or is too short or long.
    """
    low, high = KEY_BYTES
    try:
        key = base64.b64decode(secret.removeprefix(KEY_PREFIX).encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        key = b""
    if not secret.startswith(KEY_PREFIX) or not low <= len(key) <= high:
        raise ValueError(f"a key is {KEY_PREFIX} and the base64 of {low} to {high} random bytes") from None
    return key


def _checked(names: Mapping[str, WebhookSettings]) -> Mapping[str, WebhookSettings]:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot name a webhook: use a-z, 0-9, _ or -")
    if len(names) > MAX_WEBHOOKS:
        raise ValueError(f"there may be at most {MAX_WEBHOOKS} webhooks")
    return names


Webhooks = Annotated[Mapping[str, WebhookSettings], AfterValidator(_checked)]
"""Receivers of events by name."""
