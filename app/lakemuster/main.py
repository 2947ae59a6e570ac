"""The composition root: settings to engine, stores and decoders, and those to the app."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from lakemuster.api.services import Services
from lakemuster.config import Settings, load_settings
from lakemuster.ingest.opening import open_refresher

if TYPE_CHECKING:
    from fastapi import FastAPI


def build_services(settings: Settings) -> Services:
    """Open the index and the stores; nothing is fetched yet, decoders start when first needed.

    Raises:
        DatabaseVersionMismatch: the database needs ``lakemuster migrate``.
        IndexUnavailable, ConfigInvalid: it cannot be opened.
    """
    refresher = open_refresher(settings)
    return Services(settings, refresher.index, refresher.store, refresher)


def build_app(settings: Settings) -> FastAPI:
    """The HTTP application over freshly opened services."""
    # The command line opens services without HTTP, and should not wait for FastAPI.
    from lakemuster.api.app import create_app  # noqa: PLC0415

    return create_app(build_services(settings))


def app() -> FastAPI:
    """For server processes that are told nothing but the environment."""
    built = build_app(load_settings())
    spare_garbage_collection()
    return built


def spare_garbage_collection() -> None:
    """Let go of garbage, and never look again at what is left: modules and routes, which stay for good.

    A full collection looks at every object of a process, while requests wait: a tenth of a second.
    """
    gc.collect()
    gc.freeze()
