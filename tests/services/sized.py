"""A service whose answers have a size: `sized.py PORT HOST BYTES`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve

BODY = b"x" * int(sys.argv[3])


async def answer(_path: str) -> bytes:
    return response(BODY)


if __name__ == "__main__":
    serve(int(sys.argv[1]), answer, sys.argv[2])
