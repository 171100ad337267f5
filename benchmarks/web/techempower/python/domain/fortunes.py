"""The page of the fortunes."""

from __future__ import annotations

from html import escape
from typing import List

from web.techempower.python.domain.database import Fortune

ADDED = Fortune(0, "Additional fortune added at request time.")


def render(fortunes: List[Fortune]) -> str:
    """The page with the added fortune, sorted by message. Messages are compared by code points,
    which is the order of their bytes."""
    rows = sorted([*fortunes, ADDED], key=lambda fortune: fortune.message)
    cells = "".join(f"<tr><td>{row.id}</td><td>{escape(row.message)}</td></tr>" for row in rows)
    return (
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        f"<tr><th>id</th><th>message</th></tr>{cells}</table></body></html>"
    )
