"""Write the pages of docs/reference from the code: ``make reference``.

The command line comes from Typer's commands, settings from ``Settings``, errors from their classes and statuses,
metrics from the registry of an application, the HTTP APIs from its OpenAPI document.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer.main
from fastapi import FastAPI
from pydantic_core import PydanticUndefined

from lakemuster import cli, errors
from lakemuster.api.app import create_app
from lakemuster.api.errors import STATUS
from lakemuster.config import PREFIX, Settings
from lakemuster.main import build_services

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
HEAD = "<!-- Written by `make reference` from the code; do not edit. -->\n\n"
COMPUTED = {
    "decoders": "the number of cores, at most 8",
    "log_format": "`text` on a terminal, else `json`",
    "memory_bytes": "a quarter of the memory, at most 2 GiB",
}
"""Defaults that depend on the machine."""
ROLE = '[[role]]\nname = "reader"\nscope = "read"\n'
"""A tokens file, since a server without one has no metrics of it."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def command_line() -> str:
    """Every command, with its arguments and options."""
    group: Any = typer.main.get_command(cli.app)
    about = "Commands work on the index in this folder, or on a server with `--uri`. "
    status = "Exit status 0 is done, 1 a failure said in one line on stderr, 2 wrong usage."
    parts = [f"# Command line\n\n{about}{status}\n"]
    shared = [one for one in group.params if not one.hidden]
    if shared:
        parts.append(f"## Options of all commands\n\n{_parameters(shared)}")
    for name, command in group.commands.items():
        if command.hidden:
            continue
        arguments = [_argument(one) for one in command.params if one.param_type_name == "argument"]
        usage = " ".join(["lakemuster", name, *arguments])
        parts.append(f"## {name}\n\n    {usage}\n\n{inspect.cleandoc(command.help)}\n\n{_parameters(command.params)}")
    return "\n".join(parts)


def _argument(parameter: Any) -> str:
    word = (parameter.metavar or parameter.name.upper()) + ("…" if parameter.nargs == -1 else "")
    return word if parameter.required else f"[{word}]"


def _parameters(parameters: Iterable[Any]) -> str:
    rows = [(_written(one), one.help or "") for one in parameters if not one.hidden and one.name != "help"]
    return table(["argument or option", "meaning"], rows) if rows else "It takes no options.\n"


def _written(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper()}"
    return ", ".join(f"`{option}{value}`" for option in [*parameter.opts, *parameter.secondary_opts])


def settings() -> str:
    """Every setting, with its default."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = COMPUTED.get(name) or _default(field.get_default(call_default_factory=True))
        rows.append((f"`{name.upper()}`", default, field.description or ""))
    return (
        f"# Settings\n\nIn the environment a setting is `{PREFIX}` and its name; in `lakemuster.toml` its name in "
        "lower case. [Configuration](../operations/configuration.md) says more about each.\n\n"
        + table(["setting", "default", "meaning"], rows)
    )


def _default(value: object) -> str:
    if value is PydanticUndefined or value is None or value in ((), {}):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def error_codes() -> str:
    """Every public code, its status and its meaning."""
    rows = [(f"`{kind.code}`", str(STATUS[kind]), inspect.getdoc(kind) or "") for kind in _classes(errors.CatalogError)]
    return (
        '# Error codes\n\nA failed request of the native API is answered with `{"error": {"code", "type", "message", '
        "…}}`. Codes never change; messages may. A 503 or 429 comes with `Retry-After`.\n\n"
        + table(["code", "status", "meaning"], rows)
    )


def _classes(root: type[errors.CatalogError]) -> Iterator[type[errors.CatalogError]]:
    if root is not errors.CatalogError and root.__module__ == errors.__name__:
        yield root
    for child in root.__subclasses__():
        yield from _classes(child)


def metrics(app: FastAPI) -> str:
    """Every metric of a server."""
    families = sorted(app.state.api.metrics.registry.collect(), key=lambda family: family.name)
    rows = [
        (f"`{one.name}{'_total' if one.type == 'counter' else ''}`", one.type, one.documentation) for one in families
    ]
    return (
        "# Metrics\n\n`GET /metrics` answers in the Prometheus text format, version 0.0.4. A token with namespaces "
        "gets `lakemuster_tables` of its own tables only.\n\n" + table(["metric", "type", "meaning"], rows)
    )


def http(app: FastAPI) -> str:
    """Every operation, by API."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    about = "`openapi.yaml` in the source tree has parameters, bodies and answers of each operation; "
    parts = [f"# HTTP APIs\n\n{about}so does `/docs` on a running server.\n"]
    for title, prefixes in {
        "Native API": ("/api/",),
        "Iceberg REST catalog": ("/iceberg/",),
        "Paimon REST catalog": ("/paimon/",),
        "Operations": ("/healthz", "/readyz", "/metrics"),
    }.items():
        rows = [
            (f"`{method.upper()} {path}`", _first(operation), ", ".join(_queries(operation)))
            for path, operations in sorted(paths.items())
            if path.startswith(prefixes)
            for method, operation in operations.items()
        ]
        parts.append(f"## {title}\n\n{table(['operation', 'meaning', 'query parameters'], rows)}")
    return "\n".join(parts)


def _first(operation: dict[str, Any]) -> str:
    return str(operation.get("description") or operation.get("summary") or "").split("\n\n")[0]


def _queries(operation: dict[str, Any]) -> list[str]:
    return [f"`{one['name']}`" for one in operation.get("parameters", []) if one.get("in") == "query"]


def pages() -> dict[str, str]:
    """The pages by file name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tokens.toml").write_text(ROLE)
        chosen = Settings(
            database_url=f"sqlite:///{folder}/index.db",
            segments_url=f"{folder}/segments",
            cache_dir=f"{folder}/cache",
            tokens=f"{folder}/tokens.toml",
        )
        services = build_services(chosen)
        try:
            app = create_app(services)
            written = {"metrics.md": metrics(app), "http.md": http(app)}
        finally:
            services.close()
    written |= {"command-line.md": command_line(), "settings.md": settings(), "errors.md": error_codes()}
    return {name: HEAD + text for name, text in written.items()}


def main() -> int:
    """Write the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
