"""The file that a probed process leaves: one JSON object, written whole or not at all."""

import json
import os
import sys
import time


def write(folder, record):
    name = os.path.join(folder, f"{os.getpid()}-{time.monotonic_ns()}")
    try:
        with open(f"{name}.part", "w", encoding="utf-8") as file:
            json.dump({"schema_version": 1, **record}, file)
        os.rename(f"{name}.part", f"{name}.json")
    except OSError as error:
        # The program matters more than its probe; that there is no file is seen afterwards.
        sys.stderr.write(f"runfair: the probe's results are lost: {error}\n")
