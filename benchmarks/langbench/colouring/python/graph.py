"""The graph, and the counters of the operations on it."""

from __future__ import annotations

import re

from harness.python.harness import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Set, Type

    Ids = Set[int]
    Neighbours = Dict[int, Ids]
else:
    Ids = set

GREATEST_ID = 2**32 - 1
EDGE = re.compile(rb"([0-9]{1,10})\t([0-9]{1,10})\r?")


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.attempts = 0
        self.subgraphs = 0
        self.vertices = 0
        self.edges = 0
        self.probes = 0


counts = Counts()


class Graph:
    """A graph: its vertices in ascending order, and the neighbours of each vertex."""

    __slots__ = ("vertices", "neighbours")

    def __init__(self, vertices: List[int], neighbours: Neighbours) -> None:
        self.vertices = vertices
        self.neighbours = neighbours


class CountedIds(Ids):
    """A set of ids, used if operations are counted: the library's own `&` cannot contain a tick
    line."""

    def __and__(self, other: Any) -> CountedIds:
        walked, probed = (self, other) if len(self) <= len(other) else (other, self)
        common = CountedIds()
        for w in walked:
            counts.probes += 1  # tick
            if w in probed:
                common.add(w)
        return common


def read_graph(text: bytes, ids: Type[Ids]) -> Graph:
    """The graph of an edge list. Raises UsageError if a line is not an edge."""
    neighbours: Neighbours = {}
    # The last line is a line even if it has no line feed.
    lines = (text[:-1] if text.endswith(b"\n") else text).split(b"\n")
    for index, line in enumerate(lines):
        if line.startswith(b"#"):
            continue
        edge = EDGE.fullmatch(line)
        u, v = (int(edge.group(1)), int(edge.group(2))) if edge else (GREATEST_ID + 1, 0)
        if u > GREATEST_ID or v > GREATEST_ID:
            raise bad_line(index, f"an edge is two ids from 0 to {GREATEST_ID} and a tab between")
        if u == v:
            raise bad_line(index, f"vertex {u} is joined to itself, and so has no colour")
        neighbours.setdefault(u, ids()).add(v)
        neighbours.setdefault(v, ids()).add(u)
    if not neighbours:
        raise UsageError("the input has no edge; make it with generate.py")
    return Graph(sorted(neighbours), neighbours)


def bad_line(index: int, what: str) -> UsageError:
    return UsageError(f"line {index + 1} of the input: {what}; take a SNAP edge list")
