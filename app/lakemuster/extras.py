"""How the extras of this package are installed, for messages about a missing one."""

from __future__ import annotations


def pip_install(extra: str) -> str:
    """Return the command that installs an extra. It is on no package index: pip needs the source tree or a wheel."""
    return f"pip install '.[{extra}]' in the source tree, or 'WHEEL[{extra}]' with the path of a built wheel"
