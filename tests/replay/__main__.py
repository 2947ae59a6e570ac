"""Send equal requests to two revisions of the server: ``python -m tests.replay --base REVISION``.

Responses to seeded requests of all three APIs, for all real tables and the demo's, are recorded with the base
revision's wheel, and compared with the responses of the working tree's code. This checks that a rewrite does not
change behaviour. Prints one JSON object; exit status 1 if a response differs, an operation of ``openapi.yaml`` was not
requested, or a whole replay did not use an entry of ``meant``.

revisions    the code of a revision as a wheel installs it
lake, growing
             the tables, indexed once by the base, and tables that grow during the requests
server       a server of a revision
exchanges    requests and responses, sent and written to a file
routes       the operations of ``openapi.yaml``
learned      knowledge of tables from responses, from which further requests are generated
filters      random filters on a table's columns
native, iceberg, paimon, odd, changing
             requests of each API, invalid ones, and those that change the catalog
asker        the sender of requests
schedule     order and weights: a function of the seed and of earlier responses
masks        differences between two runs of the same code, and why
meant        intentional rewordings, and why
comparison   comparison of two responses
runs         recording and replaying
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.replay.comparison import Report
from tests.replay.revisions import commit_of, document_of, unpack_wheel
from tests.replay.routes import Routes
from tests.replay.runs import Run, default_folder, locked, recorded, replayed
from tests.tree import ROOT

WHOLE = 5000
"""Number of requests in a whole replay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Record if necessary, replay, and print the differences."""
    asked = _asked(arguments)
    commit = commit_of(asked.base)
    routes = Routes.of(document_of(commit))
    folder = asked.recording or default_folder(commit)
    run = Run(commit, asked.seed, asked.requests, folder.absolute(), routes)
    report = Report.over(routes, own_tokens=asked.own_tokens)
    with locked(run.folder), ExitStack() as ends:
        began = time.monotonic()
        was_there = recorded(run)
        recording = time.monotonic() - began
        code = asked.code.absolute()
        if asked.against is not None:
            code = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="replay-")))
            unpack_wheel(commit_of(asked.against), code)
        began = time.monotonic()
        replayed(run, code, report)
        replaying = time.monotonic() - began
    seconds = {"recording": None if was_there else round(recording, 1), "replaying": round(replaying, 1)}
    found = {"base": commit, "against": asked.against or "--code", "seconds": seconds, **report.document()}
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    unused = report.unused()
    for name in unused:
        sys.stderr.write(f"meant: no answer by the entry {name!r}\n")
    return 1 if report.differences or report.unasked() or (unused and asked.requests >= WHOLE) else 0


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__.partition("\n")[0])
    parser.add_argument("--base", required=True, help="the revision whose answers are right")
    parser.add_argument("--against", help="replay against a wheel of this revision, not against the working tree")
    parser.add_argument(
        "--code", type=Path, default=ROOT / "app", help="the folder of the code that is held against it"
    )
    parser.add_argument("--requests", type=int, default=WHOLE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recording", type=Path, help="a folder for the base's index and recordings")
    parser.add_argument("--own-tokens", action="store_true", help="tokens may differ; they are sent on as they come")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
