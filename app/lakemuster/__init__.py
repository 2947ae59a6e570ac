"""Lakemuster tells which files of a lake's table a query must read.

The map, in the direction of imports (a package may import those to its right)::

    cli > main > otel > spark > api | client > jobs > catalog > ingest | planner
        > wire | index | upstream | formats | demo | console > storage > kernels > predicates > metadata > log_lines
        > config > single_flight
        > available_memory | caching | catalog_settings | table_settings | webhook_settings | clock | cpu_semaphore
        | measures | validation_messages
        > failure_reasons > errors | event_types > extras | library_output
        | loopback | proxies | tracing

* ``metadata``  what a table is: types, schemas, specs, transforms, snapshots, entries as columns
* ``predicates``  filters: the predicate tree, SQL text, binding to a schema, projection on partitions
* ``formats``   bytes to metadata, pure: Avro containers, Iceberg, Paimon
* ``kernels``   inner loops as machine code: how they are made and loaded
* ``storage``   object storage behind allowed roots: read, list, stat
* ``index``     the SQL database of tables and snapshots, and the segments that hold manifest entries
* ``ingest``    the write path: pointer, metadata, manifest lists, new manifests, segments, publish
* ``planner``   the read path: a snapshot's manifests, entries, files, partitions
* ``wire``      the JSON of responses and requests
* ``upstream``  attached catalogs
* ``catalog``   the use cases: list, plan, explain, history, refresh; what HTTP and the command line call
* ``jobs``      background jobs: one supervisor, one lease for each job
* ``api``       HTTP: routes, callers, errors to statuses, middleware
* ``client``    the typed HTTP client
* ``spark``     Spark: the data source, file lists and metadata as DataFrames, indexing on executors
* ``main``      the composition root
* ``otel``      spans and metrics to a collector, an extra
* ``cli``       the command line
* ``console``   the page that shows a lake in a browser: static modules, no build step
* ``demo``      a small lake of real tables, in an archive
* ``config``    settings; ``catalog_settings``, ``table_settings``, ``webhook_settings`` parts of them;
  ``validation_messages`` what is wrong with them, and with requests
* ``errors``    every deliberate failure, with a public code; ``failure_reasons`` reasons of drivers' failures
* ``caching``   the cache class and the budget that all caches share; ``available_memory`` its default
* ``clock``     the monotonic clock and the wall clock, which tests replace
* ``tracing``   spans: a port; ``measures`` values that components record; ``log_lines`` log lines
* ``single_flight``  one run of the same work for all concurrent callers
* ``extras``    how extras of this package are installed; ``library_output`` keeps other libraries off stderr
* ``loopback``  which hosts are this machine; ``proxies`` which proxy a URL is reached through
* ``cpu_semaphore``  how many threads of a process compute at once
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakemuster.client import Client

__version__ = "0.1.0"
__all__ = ["Client", "__version__"]


def __getattr__(name: str) -> object:
    # The client brings httpx, which the server and the decoders' processes need not load.
    if name != "Client":
        raise AttributeError(f"module 'lakemuster' has no attribute {name!r}")
    from lakemuster.client import Client  # noqa: PLC0415

    return Client
