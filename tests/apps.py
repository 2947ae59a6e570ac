"""The HTTP application of ``lakemuster.api.app``, created faster for tests.

FastAPI prepares all routes for the first request to an app, which takes longer than most tests. Routes do not depend
on services and settings, so the apps of a process share the routes of the first.
"""

from __future__ import annotations

from fastapi import FastAPI
from starlette.routing import BaseRoute

from lakemuster.api import app as api
from lakemuster.catalog.services import Services

_ROUTES: list[BaseRoute] = []


def create_app(services: Services) -> FastAPI:
    """Return an app of ``lakemuster.api.app.create_app`` with shared routes."""
    app = api.create_app(services)
    assert not _ROUTES or len(_ROUTES) == len(app.router.routes)
    _ROUTES[:] = _ROUTES or app.router.routes
    app.router.routes[:] = _ROUTES
    return app
