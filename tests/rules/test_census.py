"""The counts in docs/contributing/numbers.md are right, and there is no import cycle."""

from __future__ import annotations

import ast

from scripts import census


def package() -> dict[str, str]:
    files = census.sources(census.WORKTREE)
    return {name: text for name, text in files.items() if name.startswith(census.PACKAGE) and name.endswith(".py")}


def test_no_modules_import_each_other_in_a_cycle_not_even_in_functions():
    edges, _ = census.import_graph(package())
    assert len(edges) > 100
    assert census.cycles(edges) == []


def test_a_cycle_through_an_import_in_a_function_is_found():
    planted = {
        "app/lakemuster/a.py": "from lakemuster.b import name\n",
        "app/lakemuster/b.py": "def f():\n    from lakemuster import c\n",
        "app/lakemuster/c.py": "import lakemuster.a\n",
        "app/lakemuster/d.py": "import lakemuster.a\n",
    }
    edges, inside = census.import_graph(planted)
    assert census.cycles(edges) == [["lakemuster.a", "lakemuster.b", "lakemuster.c"]]
    assert inside == 1


def test_code_is_counted_without_docstrings_comments_and_blank_lines():
    text = '"""What.\n\nMore.\n"""\n\n# why\nX = (\n    1\n)\n"""An attribute."""\n'
    tree = ast.parse(text)
    assert census.code_lines(text, tree) == [7, 8, 9]
    assert sum(len(census.lines_of(node)) for node in census.docstrings(tree)) == 5


def test_places_that_ask_for_a_format_are_counted():
    text = "a = f == 'iceberg'\nb = 'paimon' in (f, g)\nc = isinstance(x, PaimonReading)\nd = f == 'other'\n"
    assert census.asks_for_format(ast.parse(text)) == 3


def test_a_run_of_lines_that_is_in_two_places_is_counted_once():
    run = [f"a_line_of_code_that_is_long_enough_{number}" for number in range(census.WINDOW)]
    assert census.duplicated({"a": run, "b": ["x", *run], "c": run[:-1]}) == 1
