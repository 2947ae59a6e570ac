"""Known names determine a file's kind; other names do not."""

from __future__ import annotations

import pytest

from lakemuster.metadata.file_kinds import kind_of

KINDS = {
    "metadata": ["t/metadata/v3.metadata.json", "00001-a.gz.metadata.json", "v1.metadata.json.gz"],
    "version-hint": ["t/metadata/version-hint.text"],
    "manifest-list": ["t/metadata/snap-12-1-uuid.avro", "t/manifest/manifest-list-uuid-0"],
    "manifest": ["t/metadata/uuid-m0.avro", "t/manifest/manifest-uuid-12", "t/manifest/index-manifest-uuid-0"],
    "statistics": ["t/metadata/x.stats", "t/metadata/x.puffin", "t/statistics/stat-uuid-0"],
    "deletes": ["t/data/00000-deletes.parquet", "t/data/dv.puffin"],
    "index": ["t/index/index-uuid-0", "t/bucket-0/data-x.parquet.index"],
    "changelog": ["t/bucket-0/changelog-uuid-0.parquet", "compacted-changelog-x$0-5.cc-parquet"],
    "data": ["t/data/a.parquet", "a.orc", "t/bucket-0/data-x-0.avro"],
    "checksum": ["t/metadata/.v1.metadata.json.crc"],
    "unknown": ["t/data/README", "t/data/x.parquet.tmp", "_SUCCESS", "a\nb"],
}


@pytest.mark.parametrize(("kind", "path"), [(kind, path) for kind, paths in KINDS.items() for path in paths])
def test_a_name_tells_a_kind(kind: str, path: str) -> None:
    assert kind_of(path) == kind
