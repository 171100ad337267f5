"""Wigderson's graph colouring over hash tables: langbench/colouring/contract.md."""

from __future__ import annotations

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main, read_input
from langbench.colouring.python.attempt import Attempt, CountedColours
from langbench.colouring.python.graph import CountedIds, counts, read_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Type

    from langbench.colouring.python.attempt import Colours
    from langbench.colouring.python.graph import Graph

DIGEST_CHUNK = 4096  # colours hashed at a time; joining all would raise peak memory


class Colouring:
    """The input, the form that colours it, and the type of the table of colours."""

    __slots__ = ("graph", "form", "colours")

    def __init__(self, graph: Graph, form: str, colours: Type[Colours]) -> None:
        self.graph = graph
        self.form = form
        self.colours = colours

    def colour(self) -> Answer:
        """Find the smallest k that is enough. Each k is a new attempt."""
        k = 2
        while True:
            attempt = Attempt(self.colours())
            paint = attempt.recursive if self.form == "recursive" else attempt.iterative
            end = paint(self.graph, k)
            if end is not None:
                return Answer(self.graph, attempt.colours, end)
            k += 1


class Answer:
    __slots__ = ("graph", "colours", "end")

    def __init__(self, graph: Graph, colours: Colours, end: int) -> None:
        self.graph = graph
        self.colours = colours
        self.end = end

    def verify(self) -> None:
        """Raise RuntimeError if two neighbours have the same colour."""
        for u in self.graph.vertices:
            colour = self.colours[u]
            if colour >= self.end:
                raise RuntimeError(f"vertex {u} has colour {colour} of only {self.end}")
            for w in self.graph.neighbours[u]:
                if self.colours[w] == colour:
                    raise RuntimeError(f"vertices {u} and {w} are neighbours of one colour")


def load(options: Options) -> Colouring:
    counting = "count" in options
    graph = read_graph(read_input(options["input"]), CountedIds if counting else set)
    return Colouring(graph, options["form"], CountedColours if counting else dict)


def prepare(colouring: Colouring) -> Colouring:
    return colouring  # no iteration changes the graph


def run(colouring: Colouring) -> Answer:
    return colouring.colour()


def digest(answer: Answer) -> int:
    answer.verify()
    vertices, colours = answer.graph.vertices, answer.colours
    state = FNV_OFFSET
    for start in range(0, len(vertices), DIGEST_CHUNK):
        chunk = vertices[start : start + DIGEST_CHUNK]
        state = fnv1a("".join(f"{colours[u]}\n" for u in chunk).encode("ascii"), state)
    return fnv1a(f"{answer.end}\n".encode("ascii"), state)


if __name__ == "__main__":
    main("colouring", load, prepare, run, digest, counts=counts)
