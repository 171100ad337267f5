"""`./check [--install] [--long]`."""

from __future__ import annotations

import argparse
import os
import sys

from checking.load_generator import install_fuzzer
from checking.steps import steps
from checking.tally import Tally
from runfair.errors import RunfairError
from runfair.installing.system import apt_line, install, missing
from runfair.paths import private_folder

INTERRUPTED = 130  # what a shell reports for SIGINT


def main() -> int:
    parser = argparse.ArgumentParser(prog="./check", description=__doc__)
    parser.add_argument(
        "--install",
        action="store_true",
        help="install system packages first (as root), and for --long the fuzzer",
    )
    parser.add_argument("--long", action="store_true", help="also what exceeds the time budget")
    parser.add_argument(
        "--only", metavar="WORD", help="only the steps whose name contains this word"
    )
    asked = parser.parse_args()
    keep_caches_private()
    # Somebody may be measuring here: verify and the end-to-end runs wait for their turn.
    os.environ.setdefault("RUNFAIR_WAIT", "600")
    tally = Tally()
    try:
        if asked.install:
            install_what_is_missing(fuzzer=asked.long)
        for step in steps(long=asked.long, write=not under_ci()):
            if not asked.only or asked.only in step.name:
                tally.take(step)
    except KeyboardInterrupt:
        print("\ncheck: interrupted; this is what was done until then", flush=True)
        tally.close()
        return INTERRUPTED
    except RunfairError as error:
        print(f"check: {error}", file=sys.stderr)
        tally.close()
        return error.exit_status
    say_missing_packages()
    return tally.close()


def under_ci() -> bool:
    """Whether a machine runs the check, whose copy of a file nobody would keep."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def install_what_is_missing(*, fuzzer: bool) -> None:
    try:
        install(missing())
        if fuzzer:
            install_fuzzer()
    except RunfairError as error:
        print(f"check: {error}", flush=True)


def say_missing_packages() -> None:
    if wanted := missing():
        print("\nsystem packages that are not here, and what goes without them:")
        for package in wanted:
            print(f"  {package.package}: {package.wanted}")
        print(f"to install them, as root: {apt_line(wanted)}")


def keep_caches_private() -> None:
    """Tools write their caches into the private folder; the repository may be read-only."""
    caches = private_folder() / "check"
    os.environ["MYPY_CACHE_DIR"] = str(caches / "mypy")
    os.environ["RUFF_CACHE_DIR"] = str(caches / "ruff")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(caches / "hypothesis")
    os.environ["PYTEST_ADDOPTS"] = f"-o cache_dir='{caches / 'pytest'}'"


if __name__ == "__main__":
    sys.exit(main())
