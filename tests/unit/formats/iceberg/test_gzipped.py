from __future__ import annotations

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg import gzipped
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip


@given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=4), st.binary(max_size=0) | st.just(b"\0\0"))
def test_members_are_inflated_one_after_the_other(parts, padding):
    data = padding.join(gzip.compress(part) for part in parts) + padding
    assert is_gzip(data)
    assert inflate(data) == b"".join(parts)


def test_files_of_many_pieces_are_inflated():
    content = random.Random(1).randbytes(300_000) * 2
    assert inflate(gzip.compress(content)) == content


@given(st.integers(1, 200))
def test_a_file_that_is_cut_short_is_corrupt(cut):
    data = gzip.compress(random.Random(1).randbytes(300))
    with pytest.raises(MetadataCorrupt):
        inflate(data[:-cut])


def test_a_flipped_bit_is_corrupt():
    data = bytearray(gzip.compress(random.Random(1).randbytes(300)))
    data[150] ^= 1
    with pytest.raises(MetadataCorrupt):
        inflate(bytes(data))


@pytest.mark.parametrize("tail", [b"x", gzip.compress(b"a", mtime=0)[:9]])
def test_what_follows_and_is_no_gzip_is_corrupt(tail):
    with pytest.raises(MetadataCorrupt):
        inflate(gzip.compress(b"{}") + tail)


def test_more_than_the_limit_is_refused():
    data = gzip.compress(b"a" * 1001)
    assert len(inflate(data, limit=1001)) == 1001
    with pytest.raises(LimitExceeded):
        inflate(data, limit=1000)


def test_a_small_file_that_inflates_a_thousandfold_is_refused(monkeypatch):
    monkeypatch.setattr(gzipped, "SMALL", 1000)
    data = gzip.compress(b"a" * 1_000_000)
    assert len(data) * gzipped.MAX_RATIO < 1_000_000
    with pytest.raises(LimitExceeded):
        inflate(data)
