"""Count the code of the package at one or more revisions, as a Markdown table: ``python -m scripts.census REV…``.

Apart from ``git archive`` it is pure: a revision always gives the same numbers. ``WORKTREE`` names the files on disk.
Blank lines and comments are not code. A statement is a statement node of Python's grammar, except docstrings.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "app/lakemuster/"
WORKTREE = "WORKTREE"
FORMATS = {"iceberg", "paimon"}
WINDOW = 6
"""Minimum number of equal lines of code in two places, ignoring indentation, that count as a duplicate."""
GENERATED = (".ll", ".lock", ".jars", "openapi.yaml", "docs/overview.svg")
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def sources(revision: str) -> Mapping[str, str]:
    """Return the text of every file of a revision by path; files that are not text are omitted."""
    if revision == WORKTREE:
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        data = {name: (ROOT / name).read_bytes() for name in names if name and (ROOT / name).is_file()}
    else:
        command = ["git", "archive", "--format=tar", revision]
        archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            members = [(member.name, files.extractfile(member)) for member in files if member.isfile()]
            data = {name: file.read() for name, file in members if file is not None}
    texts = {}
    for name, content in sorted(data.items()):
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return texts


def docstrings(tree: ast.AST) -> Iterator[ast.Expr]:
    """Yield string statements: docstrings, also of attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def lines_of(node: ast.expr | ast.stmt) -> range:
    """Return the numbers of a node's lines."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def code_lines(text: str, tree: ast.AST) -> list[int]:
    """Return the numbers of the lines with code."""
    silent = {line for node in docstrings(tree) for line in lines_of(node)}
    found = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return sorted(found - silent)


def imported(tree: ast.AST, modules: set[str]) -> Iterator[tuple[str, bool]]:
    """Yield the package's modules that a module imports, each with whether a function imports it."""
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in whole]
        yield from ((name, id(node) in inner) for name in names if name in modules)


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other in cycles (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in sorted(edges):
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def asks_for_format(tree: ast.AST) -> int:
    """Count comparisons with a format's name, and ``isinstance`` with a class of one format's rules."""
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
            count += any(isinstance(side, ast.Constant) and side.value in FORMATS for side in sides)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            names = [part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)]
            count += any(name.endswith("Reading") for name in names)
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            count += node.value.value in FORMATS
    return count


def caches(tree: ast.AST) -> Counter[str]:
    """Count caching decorators of functools, ordered dictionaries, and caches of the common budget."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [
                part.id
                for decorator in node.decorator_list
                for part in ast.walk(decorator)
                if isinstance(part, ast.Name)
            ]
            found["functools"] += bool({"cache", "lru_cache"} & set(names))
        elif isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
            name = called.id if isinstance(called, ast.Name) else ""
            found["ordered"] += name == "OrderedDict"
            found["budgeted"] += name == "Cache"
    return found


def duplicated(texts: Mapping[str, list[str]]) -> int:
    """Count the runs of ``WINDOW`` lines of code that also occur in another place."""
    places: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for lines in texts.values():
        for start in range(len(lines) - WINDOW + 1):
            run = tuple(lines[start : start + WINDOW])
            if sum(map(len, run)) > 20 * WINDOW and not all(line.startswith(("from ", "import ")) for line in run):
                places[run] += 1
    return sum(count - 1 for count in places.values() if count > 1)


def import_graph(package: Mapping[str, str]) -> tuple[dict[str, set[str]], int]:
    """Return the modules that each module imports, in functions too, and the number of imports in functions."""
    module = {name: name[4:-3].replace("/", ".").removesuffix(".__init__") for name in package}
    edges: dict[str, set[str]] = {module[name]: set() for name in package}
    inside = 0
    for name, text in package.items():
        for other, is_inside in imported(ast.parse(text), set(edges)):
            edges[module[name]].add(other)
            inside += is_inside
    return edges, inside


def census(files: Mapping[str, str]) -> dict[str, int]:
    """Return the counts of one revision by name."""
    package = {name: text for name, text in files.items() if name.startswith(PACKAGE) and name.endswith(".py")}
    trees = {name: ast.parse(text) for name, text in package.items()}
    code = {name: code_lines(text, trees[name]) for name, text in package.items()}
    edges, inside = import_graph(package)
    layers = {
        (one.split(".")[1], other.split(".")[1])
        for one in edges
        for other in edges[one]
        if one.count(".") and other.count(".")
    }
    kept = sum((caches(tree) for tree in trees.values()), Counter[str]())
    statements = sum(isinstance(node, ast.stmt) for tree in trees.values() for node in ast.walk(tree))
    foreign = [
        tree
        for name, tree in trees.items()
        if not any(part.startswith(("iceberg", "paimon")) for part in name.split("/"))
    ]
    lines = {name: [package[name].splitlines()[number - 1].strip() for number in code[name]] for name in package}
    return {
        "files": len(package),
        "lines": sum(text.count("\n") for text in package.values()),
        "statements": statements - sum(1 for tree in trees.values() for _ in docstrings(tree)),
        "lines of code": sum(map(len, code.values())),
        "lines of docstrings": sum(len(lines_of(node)) for tree in trees.values() for node in docstrings(tree)),
        "largest file, lines": max(text.count("\n") for text in package.values()),
        "generated lines (kernels, locks, openapi.yaml, reference)": sum(
            text.count("\n")
            for name, text in files.items()
            if name.endswith(GENERATED) or name.startswith("docs/reference/")
        ),
        "imports between modules": sum(map(len, edges.values())),
        "pairs of packages that import": len({pair for pair in layers if pair[0] != pair[1]}),
        "imports inside functions": inside,
        "cycles of modules, imports inside functions included": len(cycles(edges)),
        "modules in cycles": sum(map(len, cycles(edges))),
        "places outside of a format's own modules that ask for the format": sum(map(asks_for_format, foreign)),
        "caches that share MEMORY_BYTES": kept["budgeted"],
        "caches by functools": kept["functools"],
        "hand-made caches (OrderedDict)": kept["ordered"],
        f"duplicated runs of {WINDOW} lines": duplicated(lines),
    }


def main(revisions: list[str]) -> None:
    """Print the table."""
    columns = [census(sources(revision)) for revision in revisions]
    print("| |", " | ".join(revisions), "|")
    print("|---" * (len(revisions) + 1) + "|")
    for name in columns[0]:
        print("|", name, "|", " | ".join(f"{column[name]:,}" for column in columns), "|")


if __name__ == "__main__":
    main(sys.argv[1:] or [WORKTREE])
