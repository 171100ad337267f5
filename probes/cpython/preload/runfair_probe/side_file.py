"""The side file of a probed process: one JSON object, written completely or not at all."""

import json
import os
import time

STANDARD_ERROR = 2


def _identity():
    """The file that standard error is now; None if it is closed."""
    try:
        found = os.fstat(STANDARD_ERROR)
    except OSError:
        return None
    return found.st_dev, found.st_ino


_errors = _identity()


def write(folder, record):
    """Returns whether the file was written."""
    name = os.path.join(folder, f"{os.getpid()}-{time.monotonic_ns()}")
    try:
        # The name of a file may contain bytes that are no text; they become question marks.
        with open(f"{name}.part", "w", encoding="utf-8", errors="replace", opener=_opened) as file:
            json.dump({"schema_version": 1, **record}, file, ensure_ascii=False)
        os.rename(f"{name}.part", f"{name}.json")
    except OSError as error:
        # The program is more important than its probe. That the file is missing is noticed
        # afterwards.
        _report(f"runfair: the probe's results are lost: {error}\n")
        return False
    return True


def _opened(path, flags):
    """The descriptor of the side file. If the program closed its standard streams, other threads
    may still write to their numbers, which therefore belong to the null device meanwhile."""
    placeholder = os.open(os.devnull, os.O_RDWR)
    try:
        if placeholder <= STANDARD_ERROR:
            return _opened(path, flags)
        return os.open(path, flags, 0o666)
    finally:
        os.close(placeholder)


def _report(text):
    """Writes to standard error, unless the program closed it: its number may then belong to
    another file."""
    if _errors is None or _identity() != _errors:
        return
    try:
        os.write(STANDARD_ERROR, text.encode("utf-8", "replace"))
    except OSError:
        return  # standard error has no reader
