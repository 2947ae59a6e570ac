"""``python -m lakemuster``: the command line."""

from __future__ import annotations

from lakemuster.cli import app

app(prog_name="lakemuster")
