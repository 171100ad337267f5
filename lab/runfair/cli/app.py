"""The verbs of the command line, and the exit status with which a command ends."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

import runfair
from runfair.cli.terminal import errors
from runfair.errors import RunfairError, UserMistake
from runfair.formats.kept_file import FULL
from runfair.installing.registry import tidy
from runfair.paths import private_folder, results_folder

INTERRUPTED = 128 + signal.SIGINT
BARRED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
NO_TEMPORARY_FOLDER = "No usable temporary directory"  # of Python's tempfile

# verb: (module below `runfair.cli`, function). A verb's module is imported only when it is used, so
# that `list` does not wait for the statistics to load.
VERBS = {
    "run": ("run", "run"),
    "resume": ("resume", "resume"),
    "list": ("listing", "list_"),
    "install": ("install", "install"),
    "verify": ("verify", "verify"),
    "exec": ("exec", "exec_"),
    "probe": ("probe", "probe"),
    "calibrate": ("calibrate", "calibrate"),
    "compare": ("compare", "compare"),
    "report": ("report", "report"),
    "export": ("export", "export"),
    "history": ("history", "history"),
    "audit": ("audit", "audit"),
    "decide": ("decide", "decide"),
    "traffic": ("traffic", "traffic"),
    "cluster": ("cluster", "cluster"),
}


class Verbs(TyperGroup):
    """The verbs of the command line. Each is imported when it is first used."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module, function = VERBS[cmd_name]
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(cmd_name, context_settings={"help_option_names": ["-h", "--help"]})(
            getattr(importlib.import_module(f"runfair.cli.{module}"), function)
        )
        return typer.main.get_command(alone)


app = typer.Typer(
    name="runfair",
    cls=Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"runfair {runfair.__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Measures language runtimes fairly, and shows why they differ."""
    for name in tidy():
        errors.print(
            f"the installation of {escape(name)} was interrupted, so its files were removed"
        )


def main() -> None:
    """Runs the command line. The exit status is 0 after success, 1 after a bug (with its
    traceback), 2 after a mistake of the user, 3 if a question has no answer although the run was
    measured, and 4 if a gate failed.
    """
    try:
        app(prog_name="./runfair")
    except RunfairError as error:
        errors.print(f"runfair: {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        errors.print("runfair: interrupted", highlight=False)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output is gone. At exit Python would still write its buffer, so standard
        # output is redirected.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if not (remedy := _remedy(error)):
            raise
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
        errors.print(f"runfair: {escape(what)}; {remedy}", highlight=False, soft_wrap=True)
        sys.exit(UserMistake.exit_status)


def _remedy(error: OSError) -> str:
    """What the user can do about a disk or a file that cannot be used; empty for another error."""
    if error.errno in FULL:
        return "free some space on this disk"
    if str(error.strerror).startswith(NO_TEMPORARY_FOLDER):
        return (
            "free some space on the disk of one of these folders, or name a folder in which you "
            "may write in the environment variable TMPDIR"
        )
    if error.errno not in BARRED or not error.filename:
        return ""
    remedy = "allow yourself access to this path"
    variables = {"RUNFAIR_PRIVATE": private_folder(), "RUNFAIR_RESULTS": results_folder()}
    for variable, folder in variables.items():
        if _concerns(error.filename, folder):
            return f"{remedy}, or name another folder in the environment variable {variable}"
    return remedy


def _concerns(name: object, folder: Path) -> bool:
    """Whether the path is in the folder, or is one of the folders above, which runfair makes."""
    path = Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else None
    return path is not None and (path.is_relative_to(folder) or folder.is_relative_to(path))
