"""A script for pypaimon's environment that returns the manifests that pypaimon decodes."""

from pathlib import Path

from pypaimon.manifest.manifest_file_manager import ManifestFileManager
from pypaimon.manifest.manifest_list_manager import ManifestListManager
from pypaimon.table.file_store_table import FileStoreTable


def told(value):
    return value.hex() if isinstance(value, bytes) else None if value is None else str(value)


def row(values):
    fields = values.fields
    return {field.name: told(values.get_field(i)) for i, field in enumerate(fields)}


def entry(one):
    file = one.file
    return {
        "kind": one.kind,
        "partition": row(one.partition),
        "bucket": one.bucket,
        "total_buckets": one.total_buckets,
        "file_name": file.file_name,
        "file_size": file.file_size,
        "row_count": file.row_count,
        "min_key": row(file.min_key),
        "max_key": row(file.max_key),
        "min_sequence_number": file.min_sequence_number,
        "max_sequence_number": file.max_sequence_number,
        "schema_id": file.schema_id,
        "level": file.level,
        "extra_files": file.extra_files,
        "first_row_id": file.first_row_id,
        "write_cols": file.write_cols,
        "value_stats_cols": file.value_stats_cols,
        "lower": row(file.value_stats.min_values),
        "upper": row(file.value_stats.max_values),
        "null_counts": list(file.value_stats.null_counts or []),
    }


def main(folders):
    answers = {}
    for folder in folders:
        table = FileStoreTable.from_path(folder)
        lists, files = ManifestListManager(table), ManifestFileManager(table)
        manifests = {}
        for path in sorted(Path(folder, "snapshot").glob("snapshot-*")):
            snapshot = table.snapshot_manager().get_snapshot_by_id(int(path.name.removeprefix("snapshot-")))
            for meta in [*lists.read_base(snapshot), *lists.read_delta(snapshot)]:
                entries = files.read(meta.file_name, drop_stats=False)
                manifests[meta.file_name] = {
                    "lower": row(meta.partition_stats.min_values),
                    "upper": row(meta.partition_stats.max_values),
                    "null_counts": list(meta.partition_stats.null_counts or []),
                    "entries": [entry(one) for one in entries],
                }
        answers[folder] = manifests
    return answers
