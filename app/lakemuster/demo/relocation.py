"""Rewrite the locations in Iceberg metadata that was moved: clients open the files that the metadata names.

A table holds full locations in four kinds of file: table metadata (JSON), manifest lists and manifests (Avro), and
position delete files (Parquet). Manifest lists hold the sizes of manifests, and manifests the sizes of delete files,
so delete files are written first, then manifests.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Move = Callable[[str], str]
"""Maps a recorded location to the current one."""


def relocate(folder: Path, recorded: str, location: str) -> None:
    """Replace the prefix ``recorded`` by ``location`` in all Iceberg metadata below ``folder``.

    Args:
        folder: where the files are now; it may be moved to ``location`` afterwards.
        recorded, location: both without a trailing slash.
    """

    def move(text: str) -> str:
        is_below = text == recorded or text.startswith(f"{recorded}/")
        return location + text[len(recorded) :] if is_below else text

    metadata = [path for path in sorted(folder.rglob("*")) if path.parent.name == "metadata"]

    def moved_path(path: Path) -> str:
        return move(f"{recorded}/{path.relative_to(folder).as_posix()}")

    deletes = {moved_path(path): _rewrite_deletes(path, move) for path in sorted(folder.rglob("*-deletes.parquet"))}
    lists = [path for path in metadata if path.name.startswith("snap-") and path.suffix == ".avro"]
    sizes = {
        moved_path(path): _rewrite_avro(path, move, deletes)
        for path in metadata
        if path.suffix == ".avro" and path not in lists
    }
    for path in lists:
        _rewrite_avro(path, move, sizes)
    for path in metadata:
        if path.name.endswith(".metadata.json"):
            moved = _moved(json.loads(path.read_text("utf-8")), move)
            path.write_text(json.dumps(moved, ensure_ascii=False, separators=(",", ":")), "utf-8")


def _rewrite_avro(path: Path, move: Move, sizes: Mapping[str, int]) -> int:
    """Rewrite the file with the same schema, codec, header and sync marker; return its new size in bytes."""
    from fastavro import reader, writer  # noqa: PLC0415 - the client without extras imports this module

    data = path.read_bytes()
    read = reader(io.BytesIO(data))
    records = [_moved(record, move) for record in read]
    for record in records:
        if record.get("manifest_path") in sizes:
            record["manifest_length"] = sizes[record["manifest_path"]]
        file = record.get("data_file")
        if file is not None and file["file_path"] in sizes:
            file["file_size_in_bytes"] = sizes[file["file_path"]]
    schema = json.loads(read.metadata["avro.schema"])
    header = {key: text for key, text in read.metadata.items() if key not in ("avro.schema", "avro.codec")}
    written = io.BytesIO()
    writer(written, schema, records, codec=read.codec, metadata=header, sync_marker=data[-16:])
    path.write_bytes(written.getvalue())
    return len(written.getvalue())


def _rewrite_deletes(path: Path, move: Move) -> int:
    """Rewrite the paths of a position delete file; return its new size in bytes."""
    import pyarrow as pa  # noqa: PLC0415 - as for Avro
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pq.read_table(path)
    place = table.schema.get_field_index("file_path")
    paths = pa.array([move(text) for text in table.column(place).to_pylist()], table.schema.field(place).type)
    pq.write_table(table.set_column(place, table.schema.field(place), paths), path, compression="zstd")
    return path.stat().st_size


def _moved(value: Any, move: Move) -> Any:
    """Return the value with ``move`` applied to every string in it."""
    match value:
        case str():
            return move(value)
        case dict():
            return {key: _moved(inner, move) for key, inner in value.items()}
        case list() | tuple():
            return type(value)(_moved(inner, move) for inner in value)
    return value
