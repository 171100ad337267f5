"""Measures V8's checks in a program, as a command that the launcher starts.

`python -m runfair.probing.checks FOLDER FUNCTION… -- COMMAND…` starts the command. The program's
output is the command's output. The result is the file `checks.json` in the folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from runfair.errors import InvalidResult, UserMistake
from runfair.probing.checks.cost import Effort
from runfair.probing.checks.patched_process import Start
from runfair.probing.checks.result import measured_checks
from runfair.probing.checks_observation import RESULT

# Shorter than the time-out of every profile, so that a wrong name is reported by its name.
EFFORT = Effort(longest_warm_up_ns=20e9)


def main(folder: Path, names: Sequence[str], command: Sequence[str]) -> int:
    """The exit status. The reason of a failure is the last line of the standard error."""
    # The path by which this process found the lab is not part of the program's environment.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    start = Start(command, environment, folder / "process", output=None, stoppable=True)
    try:
        result = measured_checks(start, names, EFFORT, folder)
    except (UserMistake, InvalidResult) as error:
        print(error, file=sys.stderr)
        return 1
    (folder / RESULT).write_text(result.model_dump_json(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    given = sys.argv[2:]
    end = given.index("--")
    sys.exit(main(Path(sys.argv[1]), given[:end], given[end + 1 :]))
