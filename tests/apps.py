"""The HTTP application as ``lakemuster.api.app`` makes it, without what each test of it would wait for.

FastAPI prepares all routes anew for the first request to an app, which takes longer than most tests. Routes know
nothing of services and settings: the apps of a process share those of the first.
"""

from __future__ import annotations

from fastapi import FastAPI
from starlette.routing import BaseRoute

from lakemuster.api import app as api
from lakemuster.catalog.services import Services

_ROUTES: list[BaseRoute] = []


def create_app(services: Services) -> FastAPI:
    """``lakemuster.api.app.create_app``."""
    app = api.create_app(services)
    assert not _ROUTES or len(_ROUTES) == len(app.router.routes)
    _ROUTES[:] = _ROUTES or app.router.routes
    app.router.routes[:] = _ROUTES
    return app
