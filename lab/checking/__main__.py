"""`./check [--install] [--long]`."""

from __future__ import annotations

import argparse
import os
import sys

from checking.step import Tally
from checking.steps import steps
from runfair.errors import RunfairError
from runfair.installing.system import apt_line, install, missing


def main() -> int:
    parser = argparse.ArgumentParser(prog="./check", description=__doc__)
    parser.add_argument(
        "--install", action="store_true", help="install system packages first (as root)"
    )
    parser.add_argument("--long", action="store_true", help="also what exceeds the time budget")
    parser.add_argument(
        "--only", metavar="WORD", help="only the steps whose name contains this word"
    )
    asked = parser.parse_args()
    if asked.install:
        try:
            install(missing())
        except RunfairError as error:
            print(f"check: {error}")
    tally = Tally()
    for step in steps(long=asked.long, write="CI" not in os.environ):
        if not asked.only or asked.only in step.name:
            tally.take(step)
    if wanted := missing():
        print(f"\nmissing system packages: {', '.join(one.package for one in wanted)}")
        print(f"to install them: {apt_line(wanted)}")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
