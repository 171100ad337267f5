"""The pseudocode of contract.md, transcribed literally. The transcription is slow, and can be
checked by reading."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

Degrees = dict[int, int]


@dataclass
class Graph:
    vertices: list[int]
    neighbours: Mapping[int, Set[int]]


def graph_of(edges: Iterable[tuple[int, int]]) -> Graph:
    neighbours: dict[int, set[int]] = {}
    for u, v in edges:
        neighbours.setdefault(u, set()).add(v)
        neighbours.setdefault(v, set()).add(u)
    return Graph(sorted(neighbours), neighbours)


@dataclass
class Frame:
    graph: Graph
    k: int
    first: int
    end: int
    degrees: Degrees | None = None
    hub: int = -1
    inner: Graph = field(default_factory=lambda: Graph([], {}))


class Transcription:
    """The transcription. Sets are traversed in a new random order each time, because no result may
    depend on the order."""

    def __init__(self, form: str, order: int = 0) -> None:
        self.form = form
        self.order = random.Random(order)
        self.attempts = self.subgraphs = self.vertices = self.edges = self.probes = 0
        self.colours: dict[int, int] = {}

    def counters(self) -> dict[str, int]:
        names = ("attempts", "subgraphs", "vertices", "edges", "probes")
        return {name: getattr(self, name) for name in names}

    def walk(self, a_set: Set[int]) -> list[int]:
        walked = sorted(a_set)
        self.order.shuffle(walked)
        return walked

    def colour(self, graph: Graph) -> int:
        k = 2
        while True:
            self.attempts += 1
            self.colours = {}
            end = (
                self.recursive(graph, k, 0)
                if self.form == "recursive"
                else self.iterative(graph, k)
            )
            if end is not None:
                return end
            k += 1

    def recursive(self, graph: Graph, k: int, first: int) -> int | None:
        if k == 2:
            return self.two_colour(graph, first)
        degrees = self.degrees_of(graph)
        end = first
        while True:
            hub, degree = self.widest(graph, degrees)
            if not is_wide(degree, len(graph.vertices), k):
                return max(end, self.greedy(graph, degrees, first))
            inner = self.neighbourhood(graph, degrees, hub)
            free = self.recursive(inner, k - 1, first)
            if free is None:
                return None
            self.colours[hub] = free
            end = free + 1
            self.remove(graph, degrees, hub, inner)
            first = free

    def iterative(self, graph: Graph, k: int) -> int | None:
        stack = [Frame(graph, k, 0, 0)]
        free: int | None = None
        while stack:
            frame = stack[-1]
            if frame.k == 2:
                free = self.two_colour(frame.graph, frame.first)
                if free is None:
                    return None
                stack.pop()
                continue
            if frame.degrees is None:
                frame.degrees = self.degrees_of(frame.graph)
            else:
                assert free is not None
                self.colours[frame.hub] = free
                frame.end = free + 1
                self.remove(frame.graph, frame.degrees, frame.hub, frame.inner)
                frame.first = free
            frame.hub, degree = self.widest(frame.graph, frame.degrees)
            if is_wide(degree, len(frame.graph.vertices), frame.k):
                frame.inner = self.neighbourhood(frame.graph, frame.degrees, frame.hub)
                stack.append(Frame(frame.inner, frame.k - 1, frame.first, frame.first))
            else:
                free = max(frame.end, self.greedy(frame.graph, frame.degrees, frame.first))
                stack.pop()
        return free

    def degrees_of(self, graph: Graph) -> Degrees:
        degrees = {}
        for u in graph.vertices:
            self.vertices += 1
            degrees[u] = len(graph.neighbours[u])
        return degrees

    def widest(self, graph: Graph, degrees: Degrees) -> tuple[int, int]:
        hub, greatest = -1, 0
        for u in graph.vertices:
            self.probes += 1
            if u in degrees and degrees[u] > greatest:
                hub, greatest = u, degrees[u]
        return hub, greatest

    def neighbourhood(self, graph: Graph, degrees: Degrees, hub: int) -> Graph:
        self.subgraphs += 1
        self.vertices += 1
        members = set()
        for w in self.walk(graph.neighbours[hub]):
            self.probes += 1
            if w in degrees:
                members.add(w)
        neighbours = {}
        for u in sorted(members):
            self.vertices += 1
            neighbours[u] = self.intersection(graph.neighbours[u], members)
        return Graph(sorted(members), neighbours)

    def intersection(self, a: Set[int], b: Set[int]) -> Set[int]:
        if len(a) > len(b):
            return self.intersection(b, a)
        common = set()
        for w in self.walk(a):
            self.probes += 1
            if w in b:
                common.add(w)
        return common

    def remove(self, graph: Graph, degrees: Degrees, hub: int, inner: Graph) -> None:
        for u in (hub, *inner.vertices):
            del degrees[u]
        for u in inner.vertices:
            self.vertices += 1
            for w in self.walk(graph.neighbours[u]):
                self.edges += 1
                self.probes += 1
                if w in degrees:
                    degrees[w] = degrees[w] - 1

    def two_colour(self, graph: Graph, first: int) -> int | None:
        end = first + 1
        for root in graph.vertices:
            self.probes += 1
            if root in self.colours:
                continue
            self.colours[root] = first
            odd = False
            queue = [root]
            for u in queue:
                self.vertices += 1
                self.probes += 1
                other = 2 * first + 1 - self.colours[u]
                for w in self.walk(graph.neighbours[u]):
                    self.edges += 1
                    self.probes += 1
                    if w not in self.colours:
                        self.colours[w] = other
                        end = first + 2
                        queue.append(w)
                    elif self.colours[w] != other:
                        odd = True
            if odd:
                return None
        return end

    def greedy(self, graph: Graph, degrees: Degrees, first: int) -> int:
        end = first
        for u in graph.vertices:
            self.probes += 1
            if u not in degrees:
                continue
            self.vertices += 1
            taken = set()
            for w in self.walk(graph.neighbours[u]):
                self.edges += 1
                self.probes += 1
                if w in self.colours:
                    taken.add(self.colours[w])
            colour = first
            while colour in taken:
                colour = colour + 1
            self.colours[u] = colour
            end = max(end, colour + 1)
        return end


def is_wide(degree: int, n: int, k: int) -> bool:
    product = float(degree)
    for _ in range(k - 2):
        product = product * (degree / n)
    return product >= 1
