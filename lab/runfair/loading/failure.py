"""The ways in which a load ends without a result that can be read."""

from __future__ import annotations

from runfair.errors import InvalidResult


class GeneratorLost(InvalidResult):
    """The generator ended without a result: somebody killed it, or its files could not be kept."""
