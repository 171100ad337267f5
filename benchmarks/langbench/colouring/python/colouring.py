"""Wigderson's graph colouring over hash tables: langbench/colouring/contract.md."""

from __future__ import annotations

import re

from harness.python.harness import (
    FNV_OFFSET,
    Options,
    Text,
    UsageError,
    fnv1a,
    main,
    one_of,
    read_input,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Set, Tuple

    Neighbours = Dict[int, Set[int]]
    Degrees = Dict[int, int]  # of the vertices that are left

FORMS = ("iterative", "recursive")
GREATEST_ID = 2**32 - 1
EDGE = re.compile(rb"([0-9]{1,10})\t([0-9]{1,10})\r?")
DIGEST_CHUNK = 4096  # colours hashed at a time: joining all would stand in the peak of memory


class Graph:
    """Vertices in ascending order, and the neighbours of each."""

    __slots__ = ("vertices", "neighbours")

    def __init__(self, vertices: List[int], neighbours: Neighbours) -> None:
        self.vertices = vertices
        self.neighbours = neighbours


class Frame:
    """A call of `recursive`, whose arguments and variables stand in a list of frames."""

    __slots__ = ("graph", "k", "first", "end", "degrees", "hub", "inner")

    def __init__(self, graph: Graph, k: int, first: int) -> None:
        self.graph = graph
        self.k = k
        self.first = first
        self.end = first
        self.degrees: Optional[Degrees] = None
        self.hub = 0
        self.inner = graph  # the hub's neighbourhood, once there is one


class Colouring:
    """One attempt to colour a graph."""

    def __init__(self) -> None:
        self.colours: Dict[int, int] = {}

    def recursive(self, graph: Graph, k: int, first: int = 0) -> Optional[int]:
        """Colour the graph from `first` on; the first colour then free, None where k is too few."""
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
            first = free  # the hub has no neighbour left: its colour serves again

    def iterative(self, graph: Graph, k: int) -> Optional[int]:
        """Do what `recursive` does, from a stack of its own."""
        stack = [Frame(graph, k, 0)]
        free = 0
        while stack:
            frame = stack[-1]
            if frame.k == 2:
                coloured = self.two_colour(frame.graph, frame.first)
                if coloured is None:
                    return None
                free = coloured
                stack.pop()
                continue
            if frame.degrees is None:
                frame.degrees = self.degrees_of(frame.graph)
            else:
                self.colours[frame.hub] = free
                frame.end = free + 1
                self.remove(frame.graph, frame.degrees, frame.hub, frame.inner)
                frame.first = free
            frame.hub, degree = self.widest(frame.graph, frame.degrees)
            if is_wide(degree, len(frame.graph.vertices), frame.k):
                frame.inner = self.neighbourhood(frame.graph, frame.degrees, frame.hub)
                stack.append(Frame(frame.inner, frame.k - 1, frame.first))
            else:
                free = max(frame.end, self.greedy(frame.graph, frame.degrees, frame.first))
                stack.pop()
        return free

    def degrees_of(self, graph: Graph) -> Degrees:
        neighbours = graph.neighbours
        return {u: len(neighbours[u]) for u in graph.vertices}

    def widest(self, graph: Graph, degrees: Degrees) -> Tuple[int, int]:
        """Find the least of the vertices of the greatest degree."""
        hub = greatest = 0
        for u in graph.vertices:
            degree = degrees.get(u, 0)
            if degree > greatest:
                hub = u
                greatest = degree
        return hub, greatest

    def neighbourhood(self, graph: Graph, degrees: Degrees, hub: int) -> Graph:
        """Make the graph on N(hub), the hub itself not in it."""
        neighbours = graph.neighbours
        members = {w for w in neighbours[hub] if w in degrees}
        vertices = sorted(members)
        return Graph(vertices, {u: neighbours[u] & members for u in vertices})

    def remove(self, graph: Graph, degrees: Degrees, hub: int, inner: Graph) -> None:
        del degrees[hub]
        for u in inner.vertices:
            del degrees[u]
        for u in inner.vertices:
            for w in graph.neighbours[u]:
                if w in degrees:
                    degrees[w] -= 1

    def two_colour(self, graph: Graph, first: int) -> Optional[int]:
        colours, neighbours = self.colours, graph.neighbours
        end = first + 1
        for root in graph.vertices:
            if root in colours:
                continue
            colours[root] = first
            odd = False
            queue = [root]
            for u in queue:  # grows meanwhile
                other = 2 * first + 1 - colours[u]
                for w in neighbours[u]:
                    colour = colours.get(w)
                    if colour is None:
                        colours[w] = other
                        end = first + 2
                        queue.append(w)
                    elif colour != other:
                        odd = True
            if odd:
                return None
        return end

    def greedy(self, graph: Graph, degrees: Degrees, first: int) -> int:
        colours, neighbours = self.colours, graph.neighbours
        end = first
        for u in graph.vertices:
            if u not in degrees:
                continue
            taken = {colours.get(w) for w in neighbours[u]}
            colour = first
            while colour in taken:
                colour += 1
            colours[u] = colour
            end = max(end, colour + 1)
        return end


def is_wide(degree: int, n: int, k: int) -> bool:
    """Tell whether degree ≥ n ** (1 - 1 / (k - 1))."""
    product = float(degree)
    for _ in range(k - 2):
        product *= degree / n
    return product >= 1


class CountingColouring(Colouring):
    """The same attempt, with counters."""

    def __init__(self, counters: Dict[str, int]) -> None:
        super().__init__()
        self.counters = counters

    def tick(self, *names: str) -> None:
        for name in names:
            self.counters[name] += 1

    def degrees_of(self, graph: Graph) -> Degrees:
        degrees = {}
        for u in graph.vertices:
            self.tick("vertices")
            degrees[u] = len(graph.neighbours[u])
        return degrees

    def widest(self, graph: Graph, degrees: Degrees) -> Tuple[int, int]:
        hub = greatest = 0
        for u in graph.vertices:
            self.tick("probes")
            if u in degrees and degrees[u] > greatest:
                hub, greatest = u, degrees[u]
        return hub, greatest

    def neighbourhood(self, graph: Graph, degrees: Degrees, hub: int) -> Graph:
        self.tick("subgraphs", "vertices")
        members = set()
        for w in graph.neighbours[hub]:
            self.tick("probes")
            if w in degrees:
                members.add(w)
        inner = Graph(sorted(members), {})
        for u in inner.vertices:
            self.tick("vertices")
            inner.neighbours[u] = self.intersection(graph.neighbours[u], members)
        return inner

    def intersection(self, a: Set[int], b: Set[int]) -> Set[int]:
        if len(a) > len(b):
            return self.intersection(b, a)
        common = set()
        for w in a:
            self.tick("probes")
            if w in b:
                common.add(w)
        return common

    def remove(self, graph: Graph, degrees: Degrees, hub: int, inner: Graph) -> None:
        for u in (hub, *inner.vertices):
            del degrees[u]
        for u in inner.vertices:
            self.tick("vertices")
            for w in graph.neighbours[u]:
                self.tick("edges", "probes")
                if w in degrees:
                    degrees[w] -= 1

    def two_colour(self, graph: Graph, first: int) -> Optional[int]:
        end = first + 1
        for root in graph.vertices:
            self.tick("probes")
            if root in self.colours:
                continue
            self.colours[root] = first
            odd = False
            queue = [root]
            for u in queue:
                self.tick("vertices", "probes")
                other = 2 * first + 1 - self.colours[u]
                for w in graph.neighbours[u]:
                    self.tick("edges", "probes")
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
            self.tick("probes")
            if u not in degrees:
                continue
            self.tick("vertices")
            taken = set()
            for w in graph.neighbours[u]:
                self.tick("edges", "probes")
                if w in self.colours:
                    taken.add(self.colours[w])
            colour = first
            while colour in taken:
                colour += 1
            self.colours[u] = colour
            end = max(end, colour + 1)
        return end


class Task:
    """The input, and which form is to colour it."""

    __slots__ = ("graph", "form")

    def __init__(self, graph: Graph, form: str) -> None:
        self.graph = graph
        self.form = form

    def colour(self, attempt: Callable[[], Colouring]) -> Answer:
        """Find the least k that is enough, each time with an attempt made anew."""
        k = 2
        while True:
            colouring = attempt()
            paint = colouring.recursive if self.form == "recursive" else colouring.iterative
            end = paint(self.graph, k)
            if end is not None:
                return Answer(self.graph, colouring.colours, end)
            k += 1


class Answer:
    __slots__ = ("graph", "colours", "end")

    def __init__(self, graph: Graph, colours: Dict[int, int], end: int) -> None:
        self.graph = graph
        self.colours = colours
        self.end = end

    def verify(self) -> None:
        """Raise RuntimeError where the colouring is not proper."""
        for u in self.graph.vertices:
            colour = self.colours[u]
            if colour >= self.end:
                raise RuntimeError(f"vertex {u} has colour {colour} of only {self.end}")
            for w in self.graph.neighbours[u]:
                if self.colours[w] == colour:
                    raise RuntimeError(f"vertices {u} and {w} are neighbours of one colour")


def load(options: Options) -> Task:
    form = one_of(options.texts["form"], FORMS, "form")
    text = read_input(options.inputs[0])
    neighbours: Neighbours = {}
    # A last line that lacks its line feed is a line nevertheless.
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
        neighbours.setdefault(u, set()).add(v)
        neighbours.setdefault(v, set()).add(u)
    if not neighbours:
        raise UsageError("the input has no edge; make it with generate.py")
    return Task(Graph(sorted(neighbours), neighbours), form)


def bad_line(index: int, what: str) -> UsageError:
    return UsageError(f"line {index + 1} of the input: {what}; take a SNAP edge list")


def prepare(task: Task) -> Task:
    return task  # which no iteration changes


def run(task: Task) -> Answer:
    return task.colour(Colouring)


def count(task: Task) -> Tuple[Answer, Dict[str, int]]:
    counters = dict.fromkeys(("attempts", "subgraphs", "vertices", "edges", "probes"), 0)

    def attempt() -> Colouring:
        counters["attempts"] += 1
        return CountingColouring(counters)

    return task.colour(attempt), counters


def digest(answer: Answer) -> int:
    answer.verify()
    vertices, colours = answer.graph.vertices, answer.colours
    state = FNV_OFFSET
    for start in range(0, len(vertices), DIGEST_CHUNK):
        chunk = vertices[start : start + DIGEST_CHUNK]
        state = fnv1a("".join(f"{colours[u]}\n" for u in chunk).encode("ascii"), state)
    return fnv1a(f"{answer.end}\n".encode("ascii"), state)


if __name__ == "__main__":
    main(
        name="colouring",
        workloads=("youtube", "layered"),
        parameters={"form": Text("iterative")},
        inputs=1,
        load=load,
        prepare=prepare,
        run=run,
        count=count,
        digest=digest,
    )
