"""Run all workloads one after another, each in its own process, and write one table of results."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.lakes import Lakes, Shape
from benchmarks.measuring import machine, table
from benchmarks.planning import Sizes
from benchmarks.programs import cold_tables, far_table, load_shape, paimon_tables


def prepare(lakes: Lakes, sizes: Sizes) -> None:
    """Write and index the missing tables of all workloads."""
    files, some = min(sizes.files, 1_500_000), min(sizes.files, 1_000_000)
    shapes = [sizes.shape_of(count) for count in sizes.growth]
    shapes += [sizes.big, Shape(files, 23, max(1, files // 10_000)), sizes.shape_of(some), load_shape(sizes)]
    shapes += [deleted(some), Shape(some, manifests=some // 100)]
    for shape in dict.fromkeys(shapes):
        started = time.monotonic()
        lakes.lake(shape)
        lakes.close()
        sys.stderr.write(f"{shape.name}: {time.monotonic() - started:.0f} s\n")
    for make in (cold_tables, far_table, paimon_tables):
        started = time.monotonic()
        make(lakes, sizes)
        sys.stderr.write(f"{make.__name__}: {time.monotonic() - started:.0f} s\n")


def run(names: Sequence[str], skipped: Sequence[str], words: Sequence[str], folder: Path, out: Path | None) -> None:
    """Run the workloads, and write the table.

    Args:
        names: the workloads.
        skipped: workloads omitted on request, which the output names.
        words: options for every workload.
        folder: the folder of tables and indexes.
        out: a Markdown file, or None for stdout.
    """
    folder.mkdir(parents=True, exist_ok=True)
    started, rows, took, plot = time.monotonic(), list[list[str]](), list[str](), ""
    head = f"`benchmarks all {' '.join(words)}`: {machine()}\n\n"
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            target, begun = Path(scratch, name), time.monotonic()
            command = [sys.executable, "-m", "benchmarks", name, *words, "--folder", str(folder), "--rows", str(target)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            rows += [json.loads(line) for line in target.read_text().splitlines()] if target.exists() else []
            if done.returncode:
                rows.append([name, "", "", "", f"ended with {done.returncode}", "**no**", "", "", ""])
            if name == "growth":
                plot = done.stdout
            took.append(f"{name} {time.monotonic() - begun:.0f} s")
            sys.stderr.write(f"{took[-1]}\n")
            said = f"Took {time.monotonic() - started:.0f} s: {', '.join(took)}.\n"
            if skipped:
                said += f"Left out when this ran: {', '.join(skipped)}.\n"
            ordered = sorted(rows, key=lambda cells: int(cells[0][1:]) if cells[0][1:].isdigit() else 99)
            text = f"{head}{table(ordered)}\n{plot}\n{said}"
            if out is not None:
                out.write_text(text)
    if out is None:
        sys.stdout.write(text)
    elif (drawing := folder / "growth.svg").exists() and "growth" in names:
        out.with_name("growth.svg").write_bytes(drawing.read_bytes())


def deleted(files: int) -> Shape:
    """Return the shape of W13's table."""
    return Shape(files, manifests=max(1, files // 10_000), deletes=files // 10)
