"""Print the path of a Go program, built on first use: ``python scripts/go_program.py MODULE@VERSION``.

It is built outside the tree, in $MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster); Go checks the sources of the module
and of its dependencies. Needs ``go``, and otherwise only the standard library.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def build(module: str, cache: Path) -> Path:
    """Return the path of the program; CalledProcessError if it cannot be built."""
    path, _, version = module.partition("@")
    name = path.rpartition("/")[2]
    place = cache / f"go-{name}-{version}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{place.name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not place.exists():
            print(f"Building {module} in {cache}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix="go-") as folder:
                command = ["go", "install", "-trimpath", module]
                subprocess.run(command, env={**os.environ, "GOBIN": folder}, stdout=sys.stderr, check=True)
                (Path(folder) / name).replace(place)
    return place


def main() -> int:
    """Print the path; return 1 if the program cannot be built."""
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        print(build(sys.argv[1], cache))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"{sys.argv[1]} cannot be built: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
