"""Commands that plan a scan: the files of a plan, and the reasons why files are in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import CURRENT, HERE, At, Server
from lakemuster.cli.options import AsJson, NanMode, Where
from lakemuster.cli.output import show_document, show_list
from lakemuster.cli.progress import working
from lakemuster.cli.sources import Row, not_newest, query, without_effect
from lakemuster.cli.table_names import Name
from lakemuster.wire.delete_numbering import DeleteNumbers


def plan(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    select: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,…", show_default=False, help="Columns to read; they must exist."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="ROWS", min=1, show_default=False, help="Stop when the files provably hold this many matching rows."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail when a part of the filter cannot drop files.")] = False,
    since: Annotated[
        int | None,
        typer.Option(metavar="ID", show_default=False, help="Plan only the files appended after this snapshot."),
    ] = None,
    changelog: Annotated[
        bool, typer.Option("--changelog", help="With --since, Paimon: the changelog files that commits wrote.")
    ] = False,
    read_optimized: Annotated[
        bool, typer.Option("--read-optimized", help="Paimon: only files of the highest level, which need no merging.")
    ] = False,
    splits: Annotated[bool, typer.Option("--splits", help="Paimon: pack the files into splits.")] = False,
    at: At = CURRENT,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the files that a query must read: data files that may hold matching rows, and their delete files."""
    if changelog and since is None:
        raise typer.BadParameter("requires --since", param_hint="--changelog")
    flags = {"strict": strict, "changelog": changelog, "read_optimized": read_optimized, "splits": splits}
    options = {"where": where, "nan": nan, "select": select, "since": None if since is None else str(since)}
    options |= {name: "true" for name, given in flags.items() if given}
    request = query("plan", name, at=at, limit=limit, options=options)
    with source(server) as found:
        pages = iter(found.plan(request))
        with working(name):
            first = next(pages)
        if as_json:
            _write_document(first, pages)
            return
        _tell(first)
        show_list("plan", _rows(first, pages), as_json=False)


def explain(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    file: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", show_default=False, help="Explain this data file too. Repeatable."),
    ] = None,
    at: At = CURRENT,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Show what a filter drops at which level, and why data files are kept or dropped."""
    request = query("explain", name, at=at, options={"where": where, "nan": nan})
    with source(server) as found:
        with working(name):
            explanation = found.explain(request, file or ())
        if as_json:
            show_document(explanation)
            return
        _tell(explanation)
        show_list("funnel", _levels(explanation), as_json=False)
        if file:
            sys.stdout.write("\n")
            show_list("reasons", _reasons(explanation), as_json=False)


def _tell(answer: Row) -> None:
    """Report on stderr that the answer is stale, and which parts of the filter had no effect."""
    if answer["stale"] is not None:
        fail(not_newest(answer["stale"]))
    for one in answer["not_applied"]:
        fail(without_effect(one))


def _rows(first: Row, pages: Iterable[Row]) -> Iterator[Row]:
    """Yield data files with their count of delete files, then the delete files."""
    numbers = DeleteNumbers()
    for page in chain([first], pages):
        yield from ({**file, "deletes": _deletes(file)} for file in numbers.files(page))
    yield from ({**row, "deletes": None, "residual": None} for row in numbers.rows)


def _deletes(file: Row) -> int:
    """Count the delete files and deletion vectors that apply to a file."""
    return len(file["deletes"]) + (file.get("deletion_vector") is not None)


def _write_document(first: Row, pages: Iterable[Row]) -> None:
    """Write the whole plan as one JSON document: files as they arrive, then their delete files."""
    numbers = DeleteNumbers()
    sys.stdout.write(f'{{"snapshot_id":{json.dumps(first["snapshot_id"])},\n"files":')
    opening = "[\n"
    for page in chain([first], pages):
        for file in numbers.files(page):
            sys.stdout.write(opening + _line(file))
            opening = ",\n"
    sys.stdout.write(("[]" if opening == "[\n" else "\n]") + ',\n"deletes":' + _line(numbers.rows))
    for key in ("applied", "not_applied", "counts", "stale"):
        sys.stdout.write(f",\n{json.dumps(key)}:{_line(first[key])}")
    sys.stdout.write("}\n")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _levels(explanation: Row) -> Iterator[Row]:
    for level in explanation["funnel"]:
        dropped_by = "; ".join(f"{one['filter']} ({one['dropped']})" for one in level["dropped_by"])
        yield {**level, "dropped_by": dropped_by}


def _reasons(explanation: Row) -> Iterator[Row]:
    for file in explanation["files"]:
        about = {"file_path": file["file_path"], "state": file["state"], "level": file["level"]}
        nothing = dict.fromkeys(("filter", "column", "verdict", "reason"))
        yield from ({**about, **reason} for reason in file["reasons"] or [nothing])
