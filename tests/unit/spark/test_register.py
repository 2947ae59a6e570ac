"""Registration warns if Spark's workers run another Python."""

from __future__ import annotations

import sys
from pathlib import Path

from lakemuster.spark.register import other_python


def test_another_environment_is_told_apart(tmp_path):
    assert other_python(None) is None
    assert other_python("no-such-python") is None
    assert other_python(sys.executable) is None
    assert other_python(str(Path(sys.executable).with_name("python3"))) is None
    other = tmp_path / "python3"
    other.symlink_to(sys.executable)
    assert other_python(str(other)) == str(other)
