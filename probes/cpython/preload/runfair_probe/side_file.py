"""The side file of a probed process: one JSON object, written completely or not at all."""

import json
import os
import sys
import time


def write(folder, record):
    """Returns whether the file was written."""
    name = os.path.join(folder, f"{os.getpid()}-{time.monotonic_ns()}")
    try:
        # The name of a file may contain bytes that are no text; they become question marks.
        with open(f"{name}.part", "w", encoding="utf-8", errors="replace") as file:
            json.dump({"schema_version": 1, **record}, file, ensure_ascii=False)
        os.rename(f"{name}.part", f"{name}.json")
    except OSError as error:
        # The program is more important than its probe. That the file is missing is noticed
        # afterwards.
        sys.stderr.write(f"runfair: the probe's results are lost: {error}\n")
        return False
    return True
