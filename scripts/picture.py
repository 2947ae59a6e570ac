"""Draw docs/overview.svg: Lakemuster between catalogs, engines and buckets, with the write and the read path.

``make picture`` writes the file; ``tests/rules`` checks that it is current.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "docs" / "overview.svg"
FONT = 'font-family="Helvetica, Arial, sans-serif"'
WIDTH, HEIGHT = 960, 430
INK, LINE, PAPER, WRITE, READ, QUIET = "#1f2933", "#52606d", "#ffffff", "#0b7285", "#a5480e", "#f1f3f5"


def text(
    x: float, y: float, words: str, *, size: int = 13, color: str = INK, anchor: str = "middle", bold: bool = False
) -> str:
    """Return one line of text; ``y`` is its base line."""
    style = f'font-size="{size}" fill="{color}" text-anchor="{anchor}"' + (' font-weight="bold"' if bold else "")
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, title: str, *lines: str, fill: str = QUIET) -> str:
    """Return a box with a title and lines below it."""
    middle = x + width / 2
    top = y + height / 2 - 8.5 * len(lines) + 5
    parts = [
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="{fill}" stroke="{LINE}"/>',
        text(middle, top, title, size=14, bold=True),
        *(text(middle, top + 17 * number, line, size=12) for number, line in enumerate(lines, 1)),
    ]
    return "\n".join(parts)


def arrow(points: str, color: str, words: str = "", at: tuple[float, float] = (0, 0), anchor: str = "middle") -> str:
    """Return a line through points that ends in an arrowhead, with words beside it."""
    head = {WRITE: "write", READ: "read", LINE: "line"}[color]
    line = f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2" marker-end="url(#{head})"/>'
    return line + ("\n" + text(*at, words, size=12, color=color, anchor=anchor) if words else "")


def marker(name: str, color: str) -> str:
    """Return the definition of an arrowhead."""
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z" fill="{color}"/></marker>'
    )


def steps(y: float, color: str, *names: str) -> list[str]:
    """Return the steps of the write or read path inside the server, from left to right."""
    width, gap, left = 94, 20, 292
    parts = []
    for number, name in enumerate(names):
        x = left + number * (width + gap)
        parts.append(f'<rect x="{x}" y="{y:g}" width="{width}" height="34" rx="4" fill="{PAPER}" stroke="{color}"/>')
        parts.append(text(x + width / 2, y + 21.5, name, size=12))
        if number:
            parts.append(arrow(f"{x - gap + 1},{y + 17:g} {x - 2},{y + 17:g}", color))
    return parts


def svg() -> str:
    """Return the picture."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {FONT}>',
        "<title>Lakemuster between catalogs, engines and buckets</title>",
        f"<defs>{marker('write', WRITE)}{marker('read', READ)}{marker('line', LINE)}</defs>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        box(20, 40, 170, 76, "Catalogs", "Iceberg REST, attached;", "or pointers in the bucket"),
        box(20, 172, 170, 92, "Writers", "Spark, Flink, PyIceberg,", "pypaimon, …"),
        box(
            796,
            40,
            144,
            224,
            "Engines",
            "Spark, no jar",
            "Iceberg clients:",
            "PyIceberg, Spark,",
            "Trino, DuckDB",
            "Paimon clients",
            "Python, curl",
        ),
        f'<rect x="270" y="20" width="488" height="264" rx="8" fill="{QUIET}" stroke="{INK}" stroke-width="1.5"/>',
        text(514, 44, "Lakemuster", size=16, bold=True),
        text(292, 68, "write", size=12, color=WRITE, anchor="start", bold=True),
        *steps(74, WRITE, "look", "fetch", "decode", "publish"),
        box(384, 142, 260, 52, "Index", "SQL: tables, snapshots; segments: entries", fill=PAPER),
        text(292, 214, "read", size=12, color=READ, anchor="start", bold=True),
        *steps(220, READ, "snapshot", "bind filter", "prune", "deletes"),
        arrow("190,78 239,78 239,91 290,91", WRITE, "pointer", (230, 70)),
        arrow("681,108 681,168 646,168", WRITE),
        arrow("514,194 514,218", READ),
        arrow("728,232 794,232", READ, "plan", (776, 225)),
        arrow("796,256 776,256 776,270 339,270 339,257", READ, "request", (764, 281), "start"),
        f'<rect x="20" y="322" width="920" height="88" rx="8" fill="{QUIET}" stroke="{LINE}"/>',
        text(36, 345, "Bucket or file system", size=14, anchor="start", bold=True),
        box(260, 338, 300, 56, "Metadata", "snapshots, manifest lists, manifests", fill=PAPER),
        box(650, 338, 270, 56, "Data files", "Parquet, ORC, Avro; delete files", fill=PAPER),
        arrow("105,264 105,320", LINE, "commits", (113, 297), "start"),
        arrow("281,338 281,130 453,130 453,110", WRITE),
        text(290, 308, "new manifests, once", size=12, color=WRITE, anchor="start"),
        arrow("868,338 868,266", READ),
        text(860, 308, "only the files of the plan", size=12, color=READ, anchor="end"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    FILE.write_text(svg(), "utf-8")
