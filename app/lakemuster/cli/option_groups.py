"""Options that commands share, as groups: a parameter of one of these classes declares all of its options.

Each option is declared once, here or in ``options``. Those of :class:`Server`, and ``--json``, may also come before
the command: there they are the defaults of the command's own, through the context.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

import typer

from lakemuster.cli.options import AsOf, NoUri, NoWhere, Ref, SnapshotId, Token, TokenEnv, TokenFile, Uri


@dataclass(frozen=True, slots=True)
class Server:
    """The server to use, and the bearer token for it."""

    uri: Uri = None
    token: Token = None
    token_env: TokenEnv = None
    token_file: TokenFile = None

    @property
    def address(self) -> str | None:
        """The server's address, by default LAKEMUSTER_URI; None for the index in this folder."""
        return (os.environ.get("LAKEMUSTER_URI", "").strip() if self.uri is None else self.uri) or None


@dataclass(frozen=True, slots=True)
class At:
    """The snapshot that a command is about."""

    snapshot: SnapshotId = None
    ref: Ref = None
    as_of: AsOf = None


@dataclass(frozen=True, slots=True)
class AtUnfiltered(At):
    """Like :class:`At`, for lists without a filter, which refuse ``--where``."""

    _where: NoWhere = None


@dataclass(frozen=True, slots=True)
class IndexHere:
    """No server: the command works only on the index in this folder, and refuses ``--uri``."""

    uri: NoUri = None


HERE = Server()
ONLY_HERE = IndexHere()
CURRENT = At()
UNFILTERED = AtUnfiltered()


def with_options(command: Callable[..., object]) -> Callable[..., object]:
    """Return a command whose parameters of these classes are replaced by their options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        given = {name: (hints[name], parameter.default)} if name not in groups else _options_of(groups[name])
        parameters += [
            inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
            for each, (annotation, default) in given.items()
        ]

    @functools.wraps(command)
    def run(**values: object) -> object:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _options_of(group: Any) -> dict[str, tuple[object, object]]:
    hints = get_type_hints(group, include_extras=True)
    return {field.name: (hints[field.name], field.default) for field in fields(group)}


def set_defaults(context: typer.Context, given: Mapping[str, object]) -> None:
    """Make options before the command the defaults of the command's own.

    Raises:
        typer.BadParameter: the command has no such option.
    """
    name = context.invoked_subcommand
    group: Any = context.command
    command = None if name is None else group.get_command(context, name)
    if command is None:
        return
    given = {option: value for option, value in given.items() if value is not None and value is not False}
    known = {parameter.name for parameter in command.params}
    for option in given:
        if option not in known:
            flags = {parameter.name: parameter.opts[0] for parameter in group.params}
            raise typer.BadParameter(f"{name} has no such option", param_hint=flags[option])
    context.default_map = {str(name): given}
