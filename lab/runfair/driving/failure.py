"""How a pass over a server fails."""

from __future__ import annotations


class PassFailed(Exception):
    """An answer was wrong or missing; the message is one line."""
