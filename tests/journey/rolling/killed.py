"""``lakemuster`` that kills itself at a point: ``python -m tests.journey.rolling.killed POINT FOLDER serve …``.

At the point, SIGKILL is sent to the process group if the file ``armed`` exists in FOLDER. Before that, ``armed`` is
removed and the point's name is written to ``reached``, which proves where the process died.
"""

from __future__ import annotations

import functools
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the code.

    Attributes:
        place: ``module:attribute.attribute`` of a function, in the module that calls it.
        when: whether the process dies before the call or after it.
        time: the number of the call, counted from 1; calls before the point was armed do not count.
    """

    place: str
    when: Literal["before", "after"]
    time: int = 1


POINTS = {
    "starting: the index is open": Point("lakemuster.cli.serving:build_services", "after"),
    "starting: about to listen": Point("lakemuster.cli.serving:warm_up", "before"),
    "looking: under the lease": Point("lakemuster.ingest.look:Looker.look", "before"),
    "looking: the pointer is known": Point("lakemuster.ingest.look:Looker.look", "after"),
    "fetching: manifest lists": Point("lakemuster.ingest.index:read_lists", "before"),
    "fetching: manifests": Point("lakemuster.ingest.engine:LocalEngine.make_segments_of", "before"),
    "decoding: the decoder has its first task": Point("lakemuster.ingest.decode:pickle.load", "before", 2),
    "writing: a segment in the workspace": Point("lakemuster.index.segment_store:SegmentStore.put", "before"),
    "writing: a segment in the store": Point("lakemuster.index.segment_store:SegmentStore.put", "after"),
    "writing: segments are registered": Point("lakemuster.ingest.index:Indexer._register", "after"),
    "publishing: before the commit": Point("lakemuster.ingest.publish:publish", "after"),
    "publishing: after the commit": Point("lakemuster.ingest.publish:Publisher.publish_state", "after"),
    "publishing: the lease is to be released": Point("lakemuster.index.leases:release", "before"),
    "planning": Point("lakemuster.api.native.plans:plan_listing", "after"),
    "streaming": Point("lakemuster.api.streams:Stream._more", "after"),
    "stopping: before jobs are given away": Point("lakemuster.jobs.supervisor:Supervisor.stop", "before"),
    "job retries": Point("lakemuster.jobs.retrying:RetryQuarantined.run", "after"),
    "job watch: at a table": Point("lakemuster.jobs.watching:WatchTables._is_settled", "after"),
    "job watch": Point("lakemuster.jobs.watching:WatchTables.run", "after"),
    "job counts": Point("lakemuster.jobs.counting:CountSnapshots.run", "after"),
    "job readiness": Point("lakemuster.jobs.readiness:TellReadyPartitions._evaluate", "after"),
    "job health": Point("lakemuster.jobs.health:ComputeHealth._compute", "after"),
    "job sweep: rows are gone, files are not": Point("lakemuster.index.segment_store:SegmentStore.files", "before"),
    "job sync": Point("lakemuster.jobs.syncing:SyncCatalog.run", "before"),
}


def plant(point: Point, folder: Path, name: str) -> None:
    """Patch the point's function."""
    module_name, _, path = point.place.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, attribute = path.split(".")
    for parent in parents:
        if getattr(owner, parent) is pickle:  # a shared module: replace it in this module only
            owner.pickle = SimpleNamespace(**vars(pickle))
        owner = getattr(owner, parent)
    function: Callable[..., Any] = getattr(owner, attribute)
    calls = 0

    def die() -> None:
        nonlocal calls
        calls += 1
        if calls == point.time:
            (folder / "armed").unlink()
            (folder / "reached").write_text(name)
            os.killpg(0, signal.SIGKILL)

    @functools.wraps(function)
    def planted(*args: Any, **more: Any) -> Any:
        if point.when == "before" and (folder / "armed").exists():
            die()
        answer = function(*args, **more)
        if point.when == "after" and (folder / "armed").exists():
            die()
        return answer

    setattr(owner, attribute, planted)


def main() -> None:
    """Run the command line with the patched function."""
    _, name, folder, *words = sys.argv
    sys.argv[1:] = words
    if sweep := os.environ.pop("MUSTER_SWEEP", ""):
        from tests.journey.faults.serve import _sweep

        _sweep(*map(float, sweep.split()))
    import lakemuster.cli.serving  # noqa: F401 - modules must be imported before they are patched

    plant(POINTS[name], Path(folder), name)
    from lakemuster.cli import app

    app()


if __name__ == "__main__":
    main()
