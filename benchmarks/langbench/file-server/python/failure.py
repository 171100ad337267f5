"""Why a request is not answered with a file."""

from __future__ import annotations


class Failure(Exception):
    """The status that the request is answered with, and what the head says besides."""

    def __init__(self, status: int, *fields: str) -> None:
        super().__init__(status, *fields)
        self.status = status
        self.fields = fields
