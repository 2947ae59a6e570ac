"""How every command ends: status 0 done, 1 a failure said in one line on stderr, 2 wrong usage.

A reader that closes the pipe early has what it wanted: that is 0 too.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from lakemuster.cli.text import printable
from lakemuster.errors import CatalogError

DEBUG = "--debug"
Context = Any
"""click's own, whose module is another in each line of typer's versions."""


class Commands(TyperGroup):
    """The group of all commands: failures become a line and a status here, once for all of them."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Take ``--debug`` wherever it stands."""
        words = args[: args.index("--")] if "--" in args else args
        if DEBUG in words:
            args = [DEBUG, *(word for word in words if word != DEBUG), *args[len(words) :]]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Context) -> object:
        """Run the command."""
        try:
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
            unforeseen = f"failed in a way we did not foresee ({type(error).__name__}); {DEBUG} shows where"
            fail(foreseen(error) or unforeseen)
            raise typer.Exit(1) from None
        return answer


def foreseen(error: Exception) -> str | None:
    """What a deliberate failure says; None for all others, whose text may hold anything."""
    # The client brings httpx, which commands on the local index do without.
    from lakemuster.client.errors import ClientError  # noqa: PLC0415

    return error.message if isinstance(error, CatalogError | ClientError) else None


def fail(message: str) -> None:
    """Say on stderr, in one line, what went wrong."""
    sys.stderr.write(f"lakemuster: {printable(' '.join(message.split()))}\n")


def _forget_stdout() -> None:
    """Point stdout nowhere, so that the interpreter's last flush does not meet the closed pipe again."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
