"""Build folders. Each folder is made under a temporary name and then renamed, by one process at a
time."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from runfair.building.command import run_command
from runfair.building.failure import BuildFailed, BuildHindered
from runfair.formats.kept_file import FULL

LOG = "build.log"
STAGING_PREFIX = ".building-"
# Builds take 2 to 60 s. If a build takes this long, it is assumed to hang.
STEP_LIMIT_S = 600.0
# runfair reads the messages of compilers and other tools. In this locale they are in English, and
# paths may contain any letters.
ENGLISH = {"LC_ALL": "C.UTF-8", "LANGUAGE": ""}


@contextmanager
def locked(file: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock of `file`. If another process holds it, `on_wait` is called and this process
    waits."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def made(folder: Path, make: Callable[[Path], None]) -> Path:
    """The `folder`, made by `make` in a temporary sibling if it does not exist yet.

    If two processes need the same folder, one waits for the other. The remains of an interrupted
    build are removed by the next build. The log of a failed build is kept beside the folder as
    `failed-KEY.log`. Raises BuildHindered if the disk is full.
    """
    if folder.is_dir():
        return folder
    with locked(folder.with_name(f"{folder.name}.lock")):
        if folder.is_dir():
            return folder
        # The temporary name is always the same. Compilers write paths into their output, and the
        # same sources should result in the same bytes.
        staging = folder.with_name(f"{STAGING_PREFIX}{folder.name}")
        if staging.is_dir():
            shutil.rmtree(staging)
        staging.mkdir(parents=True)
        try:
            make(staging)
            staging.rename(folder)
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise BuildHindered(f"{folder}: {error.strerror}", str(error.strerror)) from None
        finally:
            if staging.is_dir():
                _keep_log(staging / LOG, failed_log(folder))
                shutil.rmtree(staging)
    return folder


def failed_log(folder: Path) -> Path:
    """The path of the log of a failed build of `folder`."""
    return folder.with_name(f"failed-{folder.name}.log")


def _keep_log(log: Path, kept: Path) -> None:
    if log.is_file():
        log.replace(kept)


class BuildSteps:
    """Runs the steps of a build and keeps their log."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.log = folder / LOG
        self._environment = dict(environment)

    def run(self, command: Sequence[str], directory: Path, extra: Mapping[str, str]) -> None:
        """Run a command. Raises BuildFailed if the command fails, hangs or cannot be started."""
        environment = changed_environment(self._environment | dict(extra))
        with self.log.open("ab") as log:
            log.write(f"$ {' '.join(command)}\n".encode())
            log.flush()
            try:
                outcome = run_command(
                    command,
                    directory=directory,
                    environment=environment,
                    limit_s=STEP_LIMIT_S,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            except OSError as error:
                raise BuildFailed(f"{command[0]} cannot be started: {error.strerror}") from None
            except subprocess.TimeoutExpired:
                raise BuildFailed(
                    f"{command[0]} did not finish within {STEP_LIMIT_S:.0f} s, so runfair ended "
                    "the command"
                ) from None
        if outcome.returncode != 0:
            raise BuildFailed(f"{command[0]} failed with status {outcome.returncode}")


def changed_environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment with these changes. A variable with an empty value is removed. Its name may
    be a glob, which removes inherited variables."""
    changes = {**ENGLISH, **changes}
    kept = {
        name: value
        for name, value in os.environ.items()
        if not any(fnmatchcase(name, changed) for changed in changes)
    }
    return kept | {name: value for name, value in changes.items() if value}
