"""Every Python of a machine runs tests, and one of them with the lowest versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import pythons

V11, V12, V13, V14 = (3, 11), (3, 12), (3, 13), (3, 14)


@pytest.mark.parametrize(
    ("found", "running", "lowest", "newest"),
    [
        ([V11], V11, V11, []),
        ([V11, V12], V11, V12, []),
        ([V11, V13], V11, V11, [V13]),
        ([V11, V12, V13], V11, V12, [V13]),
        ([V11, V12, V13, V14], V13, V12, [V11, V14]),
        ([V13, V14], V14, V13, []),
    ],
)
def test_each_other_python_has_one_lock(found, running, lowest, newest):
    places = {minor: Path(f"python{minor[0]}.{minor[1]}") for minor in found}
    first, *others = pythons.with_locks(places, running)
    assert first == (pythons.LOWEST, places[lowest])
    assert others == [(pythons.NEWEST, places[minor]) for minor in newest]


def test_the_pythons_of_this_machine_are_found(monkeypatch, tmp_path):
    found = pythons.pythons()
    assert all(pythons.version_of(python)[:2] == minor for minor, python in found.items())
    monkeypatch.setenv("MUSTER_PYTHONS", f"{tmp_path / 'none'}:{next(iter(found.values()))}")
    assert len(pythons.pythons()) == 1
