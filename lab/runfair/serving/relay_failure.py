"""The ways in which a relay ends without files that can be read."""

from __future__ import annotations

from runfair.errors import InvalidResult


class RelayLost(InvalidResult):
    """The relay ended otherwise than it was asked to, or its files could not be kept."""
