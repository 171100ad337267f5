"""The reason why a request is not answered with a file."""

from __future__ import annotations


class Failure(Exception):
    """The status of the answer, and additional lines of its head."""

    def __init__(self, status: int, *fields: str) -> None:
        super().__init__(status, *fields)
        self.status = status
        self.fields = fields
