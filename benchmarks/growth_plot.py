"""Plot cost against the number of files, for W3, W4, W5, W7, W8 and W9: a Markdown table and an SVG drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from benchmarks.generate import append_manifest
from benchmarks.http_lists import ROWS, read
from benchmarks.http_server import serving
from benchmarks.lakes import NAME, Lake, Lakes
from benchmarks.measuring import timed, together
from benchmarks.planning import Sizes, clustered, day, measured

WIDTH, HEIGHT, LEFT, BELOW = 640, 400, 60, 40
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#9c6b4e")
Cost = Callable[[Lake, Sizes], float]


def _commit(lake: Lake, sizes: Sizes) -> float:
    runs = []
    for number in range(max(3, sizes.few // 2)):
        append_manifest(lake.root, files=1_000)
        runs.append(timed(lambda _: lake.services.refresh(NAME), [number]))
    return together(runs).p50


COSTS: dict[str, Cost] = {
    "W3 one day": lambda lake, sizes: measured(lake, day, sizes.many)[0].p50,
    "W3 none": lambda lake, sizes: measured(lake, lambda _: None, sizes.few)[0].p50,
    "W4 clustered range": lambda lake, sizes: measured(lake, clustered(lake.shape.files), sizes.many)[0].p50,
    "W5 unclustered": lambda lake, sizes: (
        measured(lake, lambda n: f"code = {500_000_000 + n * 1_000}", sizes.few)[0].p50
    ),
    "W7 one partition": lambda lake, sizes: (
        measured(lake, lambda n: f"{day(n)} and user_id = {12_345 + n}", sizes.many)[0].p50
    ),
    "W9 refresh": _commit,
}
LISTED = "W8 all, Arrow over HTTP"


def _listed(lakes: Lakes, root: Path, files: int, runs: int) -> float:
    """Return the server's CPU milliseconds to stream all files, as the mean of many streams, since a tick is 10 ms."""
    with serving(lakes.index_of(root), root.parent) as server:
        ask, several = ROWS["files, Arrow"], max(runs, min(50, 2_000_000 // files))
        read(server, ask, files)
        before = server.cpu()
        for _ in range(several):
            read(server, ask, files)
        return (server.cpu() - before) * 1000 / several


def draw(lakes: Lakes, sizes: Sizes, target: Path) -> str:
    """Measure, write an SVG, and return the figures as Markdown, in milliseconds of CPU."""
    points: dict[str, list[tuple[int, float]]] = {name: [] for name in [*COSTS, LISTED]}
    for files in sizes.growth:
        lake = lakes.lake(sizes.shape_of(files))
        for name, cost in COSTS.items():
            points[name].append((files, cost(lake, sizes)))
        lakes.close()
        points[LISTED].append((files, _listed(lakes, lake.root, files, 2)))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(svg(points))
    head = ["ms of CPU", *(f"{files:,} files" for files in sizes.growth)]
    lines = [head, ["---"] * len(head)]
    lines += [[name, *(f"{cost:.2f}" for _, cost in found)] for name, found in points.items()]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def svg(points: dict[str, list[tuple[int, float]]]) -> str:
    """Draw lines over two logarithmic axes."""
    files = [at for found in points.values() for at, _ in found]
    costs = [cost for found in points.values() for _, cost in found]
    low, high = math.log10(min(files)), math.log10(max(files))
    least, most = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))

    def x(at: float) -> float:
        return LEFT + (math.log10(at) - low) / max(high - low, 1e-9) * (WIDTH - LEFT - 160)

    def y(cost: float) -> float:
        return HEIGHT - BELOW - (math.log10(cost) - least) / max(most - least, 1) * (HEIGHT - BELOW - 20)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for power in range(least, most + 1):
        at = y(10.0**power)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - 160}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" font-size="11" text-anchor="end">{10.0**power:g} ms</text>'
        )
    parts += [
        f'<text x="{x(count):.1f}" y="{HEIGHT - 18}" font-size="11" text-anchor="middle">{count:,} files</text>'
        for count in sorted(set(files))
    ]
    ends = sorted(points.items(), key=lambda item: item[1][-1][1], reverse=True)
    label = 0.0
    for number, (name, found) in enumerate(ends):
        colour = COLOURS[number % len(COLOURS)]
        path = "L".join(f"{x(at):.1f} {y(cost):.1f}" for at, cost in found)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = max(y(found[-1][1]) + 4, label + 14)
        parts.append(f'<text x="{WIDTH - 152}" y="{label:.1f}" font-size="12" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
