"""All routes of the protocol, in the order in which paths are matched."""

from __future__ import annotations

from lakemuster.api.paimon_rest import catalog, configuration, history, partitions, tables, unsupported

routers = (
    configuration.router,
    catalog.router,
    tables.router,
    history.router,
    partitions.router,
    unsupported.router,
)
