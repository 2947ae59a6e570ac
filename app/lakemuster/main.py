"""The composition root: settings to engine, stores and decoders, and those to the app."""

from __future__ import annotations

import gc
import signal
from importlib import import_module
from typing import TYPE_CHECKING

from lakemuster.catalog.services import Services
from lakemuster.clock import SYSTEM, Clock
from lakemuster.config import Settings, load_settings
from lakemuster.ingest.looking import SERVING, Waiting
from lakemuster.ingest.opening import open_refresher

if TYPE_CHECKING:
    from fastapi import FastAPI


def build_services(settings: Settings, waiting: Waiting = SERVING, clock: Clock = SYSTEM) -> Services:
    """Open the index and the stores; nothing is fetched yet, decoders start when first needed.

    Args:
        waiting: how long requests wait for storage.
        clock: tells ages, and the time of an embedded database.

    Raises:
        DatabaseVersionMismatch: the database needs ``lakemuster migrate``.
        IndexUnavailable, ConfigInvalid: it cannot be opened.
    """
    refresher = open_refresher(settings, waiting, clock)
    return Services(settings, refresher.index, refresher.store, refresher)


def build_app(settings: Settings) -> FastAPI:
    """The HTTP application over freshly opened services."""
    # The command line opens services without HTTP, and should not wait for FastAPI.
    from lakemuster.api.app import create_app  # noqa: PLC0415

    services = build_services(settings)
    built = create_app(services)
    services.refresher.start_retrying()
    return built


def app() -> FastAPI:
    """For server processes that are told nothing but the environment."""
    built = build_app(load_settings())
    reload_on_hangup(built)
    get_ready()
    return built


def reload_on_hangup(app: FastAPI) -> None:
    """Have the tokens file read again on SIGHUP, if there is one; without, the signal does what it always does."""
    if app.state.api.tokens is not None:
        signal.signal(signal.SIGHUP, lambda *_: app.state.api.tokens.reload())


def get_ready() -> None:
    """Do before the first request what requests would wait for.

    Machine code is loaded, which takes a tenth of a second. Garbage is let go of, and what is left, modules and routes
    that stay for good, never looked at again: a full collection looks at every object, for as long.
    """
    # The command line opens services without them.
    from lakemuster.wire.json_kernel.native import is_available  # noqa: PLC0415

    is_available()
    # NumPy loads it late, and Arrow asks it of each array.
    import_module("numpy.ma")
    gc.collect()
    gc.freeze()
