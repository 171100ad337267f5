"""A service with a fault: `faulty.py FAULT PORT`."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve


LATE_S = 60.0
DIES_AFTER = 50
LEAKS_BYTES = 4 << 20

_served = itertools.count(1)
_leaked: list[bytearray] = []


async def well(_path: str) -> bytes:
    return response()


async def dies(_path: str) -> bytes:
    if next(_served) > DIES_AFTER:
        sys.stderr.write("the ledger is corrupt\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGABRT)
    return response()


async def tenth(_path: str) -> bytes:
    if next(_served) % 10 == 0:
        return response(b"oh no", "500 Internal Server Error")
    return response()


async def leaks(_path: str) -> bytes:
    _leaked.append(bytearray(b"x") * LEAKS_BYTES)
    return response()


async def redirects(_path: str) -> bytes:
    return response(b"", "302 Found", "Location: /login")


async def other_body(_path: str) -> bytes:
    return response(b"something else")


ANSWERS = {
    "well": well,
    "late": well,
    "deaf": well,
    "elsewhere": well,
    "dies": dies,
    "tenth": tenth,
    "leaks": leaks,
    "redirects": redirects,
    "other-body": other_body,
}


def main() -> None:
    fault, port = sys.argv[1], int(sys.argv[2])
    if fault == "ends":
        sys.exit("the configuration is missing")
    if fault == "late":
        time.sleep(LATE_S)
    if fault == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(0 if fault == "elsewhere" else port, ANSWERS[fault])


if __name__ == "__main__":
    main()
