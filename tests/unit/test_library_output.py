"""Libraries write nothing to stderr; the server's own log lines do not depend on a handler."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import logging
from lakemuster.library_output import silence_libraries

class Odd:
    def __del__(self):
        raise ValueError("hunter2")

silence_libraries()
logging.getLogger("gcsfs").error("out of retries: hunter2", exc_info=ValueError("hunter2"))
Odd()
logging.getLogger("lakemuster.x").warning("ours")
"""


def test_only_our_own_records_reach_stderr() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "ours\n")
