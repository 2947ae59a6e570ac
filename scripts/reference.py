"""Write the pages of docs/reference from the code: ``make reference``.

The command line comes from Typer's commands, settings from ``Settings``, errors from their classes and statuses,
metrics from the registry of an application, the HTTP APIs from its OpenAPI document.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import typer.main
from fastapi import FastAPI
from prometheus_client.core import Metric
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
ENUMERATED = {"component", "file", "kind", "state", "status"}
"""Labels of metrics whose values do not depend on the server."""
ROLE = '[[role]]\nname = "reader"\nscope = "read"\n'
"""A tokens file, since a server without one lacks its metrics; those of the certificate need only its path."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _shown(command: Any) -> set[str]:
    """Return the names of a command's visible parameters."""
    return {one.name for one in command.params if not getattr(one, "hidden", False)}


def command_line() -> str:
    """Return the page of commands, with their arguments and options."""
    group: Any = typer.main.get_command(cli.app)
    commands = {name: command for name, command in group.commands.items() if not command.hidden}
    local = [name for name, command in commands.items() if "uri" not in _shown(command)]
    about = (
        "A command with the option `--uri` works on the server at that URL, or on that of the variable "
        "`LAKEMUSTER_URI`. If neither is set, or with `--uri ''`, it works on the index of the settings, which "
        "`lakemuster.toml` in the current folder and the environment determine. The other commands send no request "
        f"to a server, whatever `LAKEMUSTER_URI` is: {', '.join(f'[`{name}`](#{name})' for name in local)}."
    )
    status = (
        "The exit status is 0 for success, 1 for a failure, with a message of one line on stderr, 2 for wrong usage."
    )
    parts = [f"# Command line\n\n{about}\n\n{status}\n"]
    shared = [one for one in group.params if not one.hidden]
    if shared:
        parts.append(f"## Options of all commands\n\n{_parameters(shared, group.callback)}")
    for name, command in commands.items():
        arguments = [_argument(one) for one in command.params if one.param_type_name == "argument"]
        usage = " ".join(["lakemuster", name, *arguments])
        options = _parameters(command.params, command.callback)
        parts.append(f"## {name}\n\n    {usage}\n\n{inspect.cleandoc(command.help)}\n\n{options}")
    return "\n".join(parts)


def _argument(parameter: Any) -> str:
    word = (parameter.metavar or parameter.name.upper()) + ("…" if parameter.nargs == -1 else "")
    return word if parameter.required else f"[{word}]"


def _parameters(parameters: Iterable[Any], callback: Any) -> str:
    declared = {name: one.annotation for name, one in inspect.signature(callback).parameters.items()}
    rows = [
        (_written(one, _kind(declared.get(one.name))), _meaning(one, _range(declared.get(one.name))))
        for one in parameters
        if not one.hidden and one.name != "help"
    ]
    return table(["argument or option", "meaning"], rows) if rows else "It takes no options.\n"


def _kind(annotation: Any) -> Any:
    """Return the type of a parameter's value, such as ``Bucket`` for ``Annotated[Bucket | None, …]``."""
    while get_origin(annotation) is not None:
        annotation = get_args(annotation)[0]
    return annotation


def _range(annotation: Any) -> tuple[float | None, float | None]:
    """Return a parameter's minimum and maximum from the metadata of its ``Annotated`` type."""
    info = next(iter(getattr(annotation, "__metadata__", ())), None)
    return getattr(info, "min", None), getattr(info, "max", None)


def _written(parameter: Any, kind: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    name = parameter.metavar or parameter.name.upper()
    if parameter.metavar is None and isinstance(kind, type) and issubclass(kind, Enum):
        name = "|".join(str(one.value) for one in kind)
    value = "" if parameter.is_flag else f" {name}"
    return ", ".join(f"`{option}{value}`" for option in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any, limits: tuple[float | None, float | None]) -> str:
    """Return a parameter's help and what Typer adds in ``--help``: the default, the range, whether it is required."""
    words = [parameter.help or ""]
    if parameter.param_type_name == "option":
        if getattr(parameter, "multiple", False) and "Repeatable" not in words[0]:
            words.append("Repeatable.")
        if parameter.required:
            words.append("Required.")
        if parameter.show_default and not parameter.is_flag and parameter.default is not None:
            words.append(f"Default: `{_plain(parameter.default)}`.")
    least, most = limits
    if least is not None and most is not None:
        words.append(f"From {least} to {most}.")
    elif least is not None:
        words.append(f"At least {least:g}.")
    return " ".join(words)


def _plain(value: object) -> str:
    """Return a value in the form that users write."""
    match value:
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case float():
            return f"{value:g}"
        case tuple():
            return ",".join(map(_plain, value))
        case _:
            return str(value)


def settings() -> str:
    """Return the page of settings, with their defaults."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = COMPUTED.get(name) or _default(field.get_default(call_default_factory=True))
        rows.append((f"`{name.upper()}`", default, _described(field.description or "", field.annotation)))
    return (
        f"# Settings\n\nIn the environment a setting is `{PREFIX}` and its name; in `lakemuster.toml` its name in "
        "lower case, where a list is an array and a JSON object a table. "
        "[Configuration](../operations/configuration.md) says more about each.\n\n"
        + table(["setting", "default", "meaning"], rows)
    )


def _described(text: str, annotation: Any) -> str:
    """Return a setting's description, with its form unless the description states it."""
    one = next((kind for kind in get_args(annotation) if kind is not NoneType), annotation)
    for kind in (annotation, one):
        if get_origin(kind) is Literal and not all(f"`{value}`" in text for value in get_args(kind)):
            return f"{text} One of {', '.join(f'`{value}`' for value in get_args(kind))}."
        if get_origin(kind) is tuple and "commas" not in text:
            return f"{text} Separated by commas."
    return text


def _default(value: object) -> str:
    if value is PydanticUndefined or value is None or value in ((), {}, ""):
        return "none"
    return f"`{_plain(value)}`"


_WITHOUT_CLASS = (
    ("not_found", 404, "There is no such path."),
    ("method_not_allowed", 405, "The path does not have this method; the header `Allow` names those that it has."),
    ("internal", 500, "The server failed unexpectedly; its log tells why, under the request's id."),
)


def error_codes() -> str:
    """Return the page of error codes, with their statuses and meanings."""
    rows = [
        (f"`{kind.code}`", str(STATUS[kind]), (inspect.getdoc(kind) or "").replace("``", "`"))
        for kind in _classes(errors.CatalogError)
    ]
    rows += [(f"`{code}`", str(status), meaning) for code, status, meaning in _WITHOUT_CLASS]
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
    """Return the page of a server's metrics, with their labels."""
    registered = app.state.api.metrics
    registered.write()
    labels = {one.name: one.labels for one in registered.instruments}
    families = sorted(registered.registry.collect(), key=lambda family: family.name)
    rows = [
        (
            f"`{one.name}{'_total' if one.type == 'counter' else ''}`",
            one.type,
            "; ".join(_label(label, one) for label in labels.get(one.name, _labels(one))),
            one.documentation,
        )
        for one in families
    ]
    return (
        "# Metrics\n\n`GET /metrics` answers in the Prometheus text format, version 0.0.4. A token with namespaces "
        "gets `lakemuster_tables` of its own tables only. A histogram has the series `_bucket` (with the label `le`), "
        "`_sum` and `_count`.\n\n" + table(["metric", "type", "labels", "meaning"], rows)
    )


def _label(name: str, family: Metric) -> str:
    """Return a label, with its values if they do not depend on the server."""
    found = (
        dict.fromkeys(one.labels[name] for one in family.samples if name in one.labels) if name in ENUMERATED else {}
    )
    return f"`{name}`: {', '.join(f'`{value}`' for value in found)}" if found else f"`{name}`"


def _labels(family: Metric) -> Sequence[str]:
    """Return the labels of a metric family that is not an instrument, as declared or from its samples."""
    declared: Sequence[str] | None = getattr(family, "_labelnames", None)
    found = dict.fromkeys(label for sample in family.samples for label in sample.labels)
    return list(found) if declared is None else declared


def http(app: FastAPI) -> str:
    """Return the page of operations, by API."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    about = "`openapi.yaml` in the source tree has parameters, bodies and answers of each operation; "
    parts = [f"# HTTP APIs\n\n{about}so does `/docs` on a running server.\n"]
    for title, prefixes in {
        "Native API": ("/api/",),
        "Iceberg REST catalog": ("/iceberg/",),
        "Paimon REST catalog": ("/paimon/",),
        "Sessions of browsers": ("/session",),
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
    """Return all pages by file name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tokens.toml").write_text(ROLE)
        chosen = Settings(
            database_url=f"sqlite:///{folder}/index.db",
            segments_url=f"{folder}/segments",
            cache_dir=f"{folder}/cache",
            tokens=f"{folder}/tokens.toml",
            tls_cert=f"{folder}/certificate.pem",
            tls_key=f"{folder}/key.pem",
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
