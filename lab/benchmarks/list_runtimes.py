"""How long `./runfair list runtimes` takes when nothing changed: the budget is 1 s.

python lab/benchmarks/list_runtimes.py [REPETITIONS]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from runfair.paths import REPOSITORY


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    wall_s: list[float] = []
    cpu_s: list[float] = []
    for _ in range(repetitions + 1):
        before = os.times()
        began = time.monotonic()
        subprocess.run(
            [REPOSITORY / "runfair", "list", "runtimes"], check=True, stdout=subprocess.DEVNULL
        )
        wall_s.append(time.monotonic() - began)
        after = os.times()
        cpu_s.append(
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
    # The first one may have had to look again.
    print(f"wall {statistics.median(wall_s[1:]):.2f} s, CPU {statistics.median(cpu_s[1:]):.2f} s")


if __name__ == "__main__":
    main()
