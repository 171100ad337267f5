"""The benchmark log with the study's dictionaries, which all threads share."""

from __future__ import annotations

from functools import partial
from threading import Lock

from langbench.log.python.archive import CountedDictionary, Parser
from langbench.log.python.log import program, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict

    TextsWithIds = Dict[bytes, int]
else:
    TextsWithIds = dict


class SharedDictionary(TextsWithIds):
    """A dictionary that all workers fill together."""

    def __init__(self) -> None:
        self._lock = Lock()

    def setdefault(self, text: bytes, _next: int) -> int:
        """The id of the text. A new one gets the next id, which another worker may meanwhile have
        given away: it is asked for again, under the lock.
        """
        with self._lock:
            return super().setdefault(text, len(self))


class CountedSharedDictionary(SharedDictionary, CountedDictionary):
    """A shared dictionary that counts its new entries under its lock."""


def shared_dictionaries(counting: bool) -> Callable[[], Parser]:
    """Make parsers, all with the same dictionaries."""
    new = CountedSharedDictionary if counting else SharedDictionary
    types, variables = new(), new()
    return lambda: Parser(types, variables)


if __name__ == "__main__":
    program("shared-dictionary", partial(run, new_parsers=shared_dictionaries))
