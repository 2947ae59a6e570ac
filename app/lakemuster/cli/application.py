"""Exit statuses of all commands: 0 for success, 1 for a failure with one line on stderr, 2 for wrong usage.

A reader that closes the pipe early has all it needs: the status is 0.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import typer
from typer.core import TyperGroup

from lakemuster.cli.text import printable
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import operator_message, reason_of
from lakemuster.library_output import silence_libraries

DEBUG = "--debug"
Context = Any
"""click's context class, whose module differs between release lines of typer."""
_OUTPUT_IS_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class Commands(TyperGroup):
    """The group of all commands: converts failures to an error line and an exit status."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Accept ``--debug`` in any position."""
        words = args[: args.index("--")] if "--" in args else args
        if DEBUG in words:
            args = [DEBUG, *(word for word in words if word != DEBUG), *args[len(words) :]]
        _open_missing_streams()
        _escape_unencodable()
        with _output_failures():  # --version and --help write here
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Context) -> object:
        """Run the command."""
        if not ctx.params.get("debug"):
            silence_libraries()
        try:
            with _output_failures():
                answer = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "exit_code"):  # wrong usage: typer shows it
                raise
            if ctx.params.get("debug"):
                traceback.print_exc()
            unexpected = f"unexpected error ({type(error).__name__}); {DEBUG} shows where"
            fail(deliberate_message(error) or unexpected)
            raise typer.Exit(1) from None
        return answer


def deliberate_message(error: Exception) -> str | None:
    """Return the message of a deliberate failure; None for other exceptions, whose text may contain anything."""
    # The client imports httpx, which commands on the local index do not need.
    from lakemuster.client.errors import ClientError  # noqa: PLC0415

    if isinstance(error, CatalogError):
        return operator_message(error)
    if isinstance(error, ClientError) and error.status == HTTPStatus.UNAUTHORIZED:
        return f"{error.message} (on the command line: LAKEMUSTER_TOKEN, --token-env or --token-file)"
    return error.message if isinstance(error, ClientError) else None


def fail(message: str) -> None:
    """Write an error message to stderr, in one line."""
    sys.stderr.write(f"{error_line(message)}\n")


def error_line(message: str) -> str:
    """Return an error message as one line."""
    return f"lakemuster: {printable(' '.join(message.split()))}"


def _open_missing_streams() -> None:
    """Let the null device stand in for stdout or stderr if the parent closed it: Python then has None."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for the whole run


def _escape_unencodable() -> None:
    """Write characters that stdout's encoding does not have as JSON escapes them."""
    codecs.register_error("lakemuster", _json_escapes)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="lakemuster")


def _json_escapes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


@contextmanager
def _output_failures() -> Iterator[None]:
    """Convert failures of stdout to an error line and status 1.

    Other files have names, and failures of the index and of storage are CatalogErrors.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _OUTPUT_IS_FULL or error.filename is not None:
            raise
        _forget_stdout()
        fail(f"cannot write the output: {reason_of(error)}")
        raise typer.Exit(1) from None


def _forget_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter's final flush does not fail again."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
