"""The job that lists an attached catalog, and registers, renames and removes tables as they change there."""

from __future__ import annotations

import random

from lakemuster.catalog.attached import sync
from lakemuster.catalog.catalog_documents import SYNC
from lakemuster.index import Index
from lakemuster.jobs.job import Run
from lakemuster.upstream.protocol import Upstream

FIRST_SECONDS = 2.0
"""Maximum delay before the first listing ever; the actual one is random."""


class SyncCatalog:
    """Lists one catalog. Each catalog has its own job, so that one that does not answer does not delay the others."""

    every_seconds = 60.0

    def __init__(self, index: Index, catalog: Upstream) -> None:
        self._index, self._catalog = index, catalog
        self.name = f"{SYNC}{catalog.name}"
        self.first_seconds = random.uniform(0, FIRST_SECONDS)

    def run(self, run: Run) -> str:
        """List all tables of the catalog, and update the index."""
        found = sync(self._index, self._catalog)
        renamed = f", {found.renamed} renamed" if found.renamed else ""
        return f"{found.tables} tables, {found.others} left out, {found.added} added, {found.removed} removed{renamed}"
