"""`./check [--install] [--long]`."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Callable

from checking.load_generator import install_fuzzer
from checking.steps import stages
from checking.tally import Tally
from runfair.catalogue.runtime import variants
from runfair.errors import RunfairError
from runfair.installing.registry import install as install_runtime
from runfair.installing.system import apt_line, install, missing
from runfair.paths import private_folder

# Tools without a Debian package, which are installed into the private folder.
FROM_REGISTRIES = ("bun", "kotlin", "ktfmt")
INTERRUPTED = 130  # the exit status that a shell reports after SIGINT


def main() -> int:
    parser = argparse.ArgumentParser(prog="./check", description=__doc__)
    parser.add_argument(
        "--install",
        action="store_true",
        help="install system packages (as root), Bun and Kotlin first, and for --long the fuzzer",
    )
    parser.add_argument("--long", action="store_true", help="also run the steps that take long")
    parser.add_argument(
        "--only", metavar="WORD", default="", help="only the steps whose name contains this word"
    )
    asked = parser.parse_args()
    keep_caches_private()
    # A measurement may be running on this machine. Verification and the end-to-end runs wait until
    # it has ended.
    os.environ.setdefault("RUNFAIR_WAIT", "600")
    tally = Tally()
    try:
        if asked.install:
            install_what_is_missing(fuzzer=asked.long)
        for stage in stages(long=asked.long, write=not under_ci()):
            tally.take_stage([lane.only(asked.only) for lane in stage])
        tally.take_again()
    except KeyboardInterrupt:
        print("\ncheck: interrupted; the results so far:", flush=True)
        tally.close()
        return INTERRUPTED
    except RunfairError as error:
        print(f"check: {error}", file=sys.stderr)
        tally.close()
        return error.exit_status
    say_missing_packages()
    return tally.close()


def under_ci() -> bool:
    """Whether a CI system runs the check. There, files that formatters changed would be lost."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def install_what_is_missing(*, fuzzer: bool) -> None:
    """Installs everything that can be installed. If something is not available, a message says so,
    and the steps that need it are skipped.
    """
    installations: list[Callable[[], object]] = [
        lambda: install(missing()),
        *(functools.partial(install_runtime, name, print) for name in FROM_REGISTRIES),
    ]
    if fuzzer:
        installations.append(install_fuzzer)
    for installation in installations:
        try:
            installation()
        except RunfairError as error:
            print(f"check: {error}", flush=True)
    variants(refresh=True)


def say_missing_packages() -> None:
    if wanted := missing():
        print("\nsystem packages are missing; to install them all, as root: ./check --install")
        print(f"or: {apt_line(wanted)}")


def keep_caches_private() -> None:
    """Makes tools write their caches into the private folder, because the repository may be
    read-only.
    """
    caches = private_folder() / "check"
    os.environ["MYPY_CACHE_DIR"] = str(caches / "mypy")
    os.environ["RUFF_CACHE_DIR"] = str(caches / "ruff")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(caches / "hypothesis")
    os.environ["PYTEST_ADDOPTS"] = f"-o cache_dir='{caches / 'pytest'}'"
    # The check starts hundreds of Python processes, which otherwise all compile the same modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


if __name__ == "__main__":
    sys.exit(main())
