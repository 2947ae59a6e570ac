"""Measure an image that ``scripts/image.py build FOLDER`` built: its size by package, and the cost of a start.

    python scripts/image_figures.py FOLDER [--starts 5]

A start lasts from the process's creation to the first 200 of /readyz, with an existing database. On a busy machine,
compare the server's CPU time (user and system). Phases are measured in one more process, by CPU time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
SCRIPT = TREE / "scripts" / "image.py"
LIMIT_BYTES = 520_000_000
"""Maximum size of /opt, the image without its base, which ``tests/journey/test_container.py`` checks."""

START = """
import http.client, json, os, subprocess, sys, time
port = int(os.environ["LAKEMUSTER_PORT"])
for number in range(int(sys.argv[1]) + 1):
    began = time.monotonic()
    process = subprocess.Popen(["lakemuster", "serve"], env={**os.environ, "LAKEMUSTER_HOST": "127.0.0.1"})
    while True:
        time.sleep(0.01)
        assert process.poll() is None, "the server ended"
        try:
            asked = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            asked.request("GET", "/readyz")
            if asked.getresponse().status == 200:
                break
        except OSError:
            pass
    seconds = time.monotonic() - began
    with open(f"/proc/{process.pid}/stat") as stat:
        cpu = sum(map(int, stat.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    process.terminate()
    process.wait()
    if number:
        print("FIGURES", json.dumps({"clock": round(seconds, 2), "CPU": cpu}), flush=True)
"""

PHASES = """
import gc, json, os, time
times = [("the interpreter", time.process_time())]
def phase(name):
    times.append((name, time.process_time()))
import lakemuster.cli
phase("the command line")
from lakemuster.cli.opening import server_packages
with server_packages("serve"):
    from lakemuster.cli import serving
phase("imports of the server")
services = serving.build_services(serving.load_settings(database_url="sqlite:///.lakemuster/index.db"))
phase("the index is opened and checked")
serving.create_app(services)
phase("the application")
serving.warm_up()
phase("kernels are compiled")
said = {name: round(after - before, 3) for (_, before), (name, after) in zip([("", 0.0), *times], times)}
print("FIGURES", json.dumps(said), flush=True)
os._exit(0)
"""


def sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of /opt by package; libraries bundled with a wheel count towards its package."""
    found: Counter[str] = Counter()
    packages = next((folder / "root/opt/venv/lib").glob("python3*")) / "site-packages"
    for path in (folder / "root/opt").rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        inside = packages in path.parents
        name = path.relative_to(packages).parts[0].partition(".")[0].partition("-")[0] if inside else "lakemuster"
        found[name.removesuffix("_binary")] += path.stat().st_size
    return dict(found.most_common())


def inside(folder: Path, program: str, *words: str) -> list[dict[str, float]]:
    """Run a program in the image with an empty volume; return the figures that it prints."""
    with tempfile.TemporaryDirectory() as volume:
        Path(volume).chmod(0o777)
        options = [f"--volume={volume}:/data", "--entrypoint=python"]
        command = [sys.executable, str(SCRIPT), "run", str(folder), *options, "--", "-c", program, *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.removeprefix("FIGURES ") for line in done.stdout.splitlines() if line.startswith("FIGURES "))
    return [json.loads(line) for line in lines]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--starts", type=int, default=5)
    asked = parser.parse_args()
    by_name = sizes(asked.folder)
    print(f"{sum(by_name.values()) / 1e6:6.0f} MB in /opt")
    for name, size in list(by_name.items())[:16]:
        print(f"{size / 1e6:6.1f} MB {name}")
    for start in inside(asked.folder, START, str(asked.starts)):
        print(f"a start: {start['CPU']:.2f} s of CPU time, {start['clock']:.2f} s by the clock")
    for name, seconds in inside(asked.folder, PHASES)[0].items():
        print(f"{seconds * 1000:6.0f} ms {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
