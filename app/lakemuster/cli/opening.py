"""Open the source of a command: a server, or the index in this folder. Packages that a source needs load here."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from lakemuster.cli.option_groups import Server
from lakemuster.cli.sources import ALL_TABLES, LocalIndex, Row, Source
from lakemuster.errors import ConfigInvalid
from lakemuster.extras import pip_install

if TYPE_CHECKING:
    from lakemuster.client.tokens import Token


@contextmanager
def source(server: Server, *, with_catalogs: bool = True) -> Iterator[Source]:
    """Open a server, or the local index if none is named.

    Without ``--token``, ``--token-env`` and ``--token-file``, the environment variable LAKEMUSTER_TOKEN gives the
    server's bearer token.

    Args:
        with_catalogs: see :func:`local_source`.

    Raises:
        typer.BadParameter: wrong usage of these options.
        ConfigInvalid: the local index needs packages that are not installed.
    """
    found: Source
    address = server.address
    if address is None:
        if server != Server(server.uri):
            raise typer.BadParameter("a token is for a server: give --uri too", param_hint="--token")
        found = local_source(with_catalogs=with_catalogs)
    else:
        found = _remote(address, bearer_token(server))
    try:
        yield found
    finally:
        found.close()


def local_source(history: int | None = None, *, with_catalogs: bool = True) -> LocalIndex:
    """Open the local index.

    Args:
        history: overrides that setting for every table.
        with_catalogs: whether to attach the settings' catalogs, which fails if a table has the name of one.

    Raises:
        ConfigInvalid: a setting is wrong, or packages are missing.
    """
    with server_packages("the index of this folder"):
        # FastAPI, SQLAlchemy and Arrow: only for commands on the local index.
        from lakemuster.cli.local import LocalSource  # noqa: PLC0415
    return LocalSource.opened(history, with_catalogs=with_catalogs)


def no_tables(server: Server, *, of_choice: bool = False) -> str:
    """Return the line for a list without tables: which index, or which server, has none.

    Args:
        of_choice: whether only some of the tables were requested.
    """
    what = "no matching tables" if of_choice else "no tables"
    if server.address is not None:
        return f"{what} at {server.address}"
    with server_packages("the index of this folder"):
        # Pydantic: only for commands on the local index.
        from lakemuster.config import load_settings  # noqa: PLC0415
    scheme, _, path = load_settings().database_url.partition(":///")
    return f"{what} in the index" + (f" at {os.path.abspath(path)}" if scheme == "sqlite" else "")


@contextmanager
def registered(server: Server, choice: Mapping[str, Any] = ALL_TABLES) -> Iterator[Iterable[Row]]:
    """Yield the chosen tables of a server or of the local index, by name unless a sort is chosen.

    Raises:
        As :func:`source`.
    """
    rows = local_rows(choice) if server.address is None and server == Server(server.uri) else None
    if rows is not None:
        yield rows
        return
    with source(server) as found:
        yield found.tables(choice)


def local_rows(choice: Mapping[str, Any] = ALL_TABLES) -> Iterable[Row] | None:
    """Return the chosen tables of the local index; None if the index has to be opened for that.

    Raises:
        ConfigInvalid: a setting is wrong, or packages are missing.
    """
    with server_packages("the index of this folder"):
        # Pydantic: only for commands on the local index.
        from lakemuster.cli.local_tables import local_tables  # noqa: PLC0415
    return local_tables(choice)


@contextmanager
def server_packages(what: str) -> Iterator[None]:
    """Convert failed imports of packages that only ``lakemuster[server]`` installs to an error.

    Collect no garbage meanwhile: imports leave little, and collections take a tenth of the time. Later collections skip
    what was imported.

    Raises:
        ConfigInvalid: a package is not installed.
    """
    gc.disable()
    try:
        yield
    except ModuleNotFoundError as cause:
        if (cause.name or "").partition(".")[0] == "lakemuster":
            raise
        raise ConfigInvalid(
            f"{what} needs packages that are not installed ({cause.name} is missing): {pip_install('server')}"
        ) from cause
    finally:
        gc.freeze()
        gc.enable()


def _remote(uri: str, token: Token | None) -> Source:
    # The client imports httpx.
    from lakemuster.cli.remote import RemoteSource  # noqa: PLC0415
    from lakemuster.client.network import NetworkSettingsInvalid  # noqa: PLC0415
    from lakemuster.client.tokens import TokenMalformed  # noqa: PLC0415

    try:
        return RemoteSource(uri, token)
    except TokenMalformed as cause:
        raise typer.BadParameter(str(cause), param_hint="--token / --token-env / LAKEMUSTER_TOKEN") from None
    except NetworkSettingsInvalid as cause:
        raise ConfigInvalid(str(cause)) from None
    except ValueError as cause:
        raise typer.BadParameter(str(cause), param_hint="--uri") from None


def bearer_token(server: Server) -> Token | None:
    """Return the bearer token for a server, by default LAKEMUSTER_TOKEN; None without one.

    Raises:
        typer.BadParameter: more than one option is given, or the variable is not set.
    """
    given = {"--token": server.token, "--token-env": server.token_env, "--token-file": server.token_file}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("give one of them", param_hint=" / ".join(chosen))
    if server.token is not None:
        return server.token
    if server.token_file is not None:
        # The client imports httpx.
        from lakemuster.client.tokens import TokenFile  # noqa: PLC0415

        return TokenFile(server.token_file)
    if server.token_env is None:
        return os.environ.get("LAKEMUSTER_TOKEN", "").strip() or None
    value = os.environ.get(server.token_env, "").strip()
    if not value:
        raise typer.BadParameter(f"the environment variable {server.token_env} is not set", param_hint="--token-env")
    return value
