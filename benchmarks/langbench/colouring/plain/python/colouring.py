"""The contract's pseudocode with dicts and sets, in Python 3.6 (colouring/contract.md)."""

import re

from harness.python.harness import FNV_OFFSET, Options, UsageError, fnv1a, main, read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Set, Tuple

GREATEST_ID = 2**32 - 1
FAILED = -1


class Counts:
    def __init__(self) -> None:
        self.attempts = 0
        self.subgraphs = 0
        self.vertices = 0
        self.edges = 0
        self.probes = 0


counts = Counts()


class Graph:
    def __init__(self, vertices: "List[int]", neighbours: "Dict[int, Set[int]]") -> None:
        self.vertices = vertices
        self.neighbours = neighbours


class Frame:
    def __init__(self, graph: Graph, k: int, first: int) -> None:
        self.graph = graph
        self.k = k
        self.first = first
        self.end = first
        self.degrees: "Optional[Dict[int, int]]" = None
        self.hub = 0
        self.inner = graph


class Colouring:
    def __init__(self, graph: Graph, form: str) -> None:
        self.graph = graph
        self.form = form
        self.colours: "Dict[int, int]" = {}
        self.end = 0

    def colour(self) -> None:
        k = 2
        while True:
            counts.attempts += 1  # tick
            self.colours = {}
            if self.form == "recursive":
                self.end = self.recursive(self.graph, k, 0)
            else:
                self.end = self.iterative(self.graph, k)
            if self.end != FAILED:
                return
            k += 1

    def recursive(self, graph: Graph, k: int, first: int) -> int:
        if k == 2:
            return self.two_colour(graph, first)
        degrees = degrees_of(graph)
        end = first
        while True:
            hub, degree = widest(graph, degrees)
            if not is_wide(degree, len(graph.vertices), k):
                return max(end, self.greedy(graph, degrees, first))
            inner = neighbourhood(graph, degrees, hub)
            free = self.recursive(inner, k - 1, first)
            if free == FAILED:
                return FAILED
            self.colours[hub] = free
            end = free + 1
            remove(graph, degrees, hub, inner)
            first = free

    def iterative(self, graph: Graph, k: int) -> int:
        stack = [Frame(graph, k, 0)]
        free = 0
        while stack:
            frame = stack[-1]
            if frame.k == 2:
                free = self.two_colour(frame.graph, frame.first)
                if free == FAILED:
                    return FAILED
                stack.pop()
                continue
            if frame.degrees is None:
                frame.degrees = degrees_of(frame.graph)
            else:
                self.colours[frame.hub] = free
                frame.end = free + 1
                remove(frame.graph, frame.degrees, frame.hub, frame.inner)
                frame.first = free
            frame.hub, degree = widest(frame.graph, frame.degrees)
            if is_wide(degree, len(frame.graph.vertices), frame.k):
                frame.inner = neighbourhood(frame.graph, frame.degrees, frame.hub)
                stack.append(Frame(frame.inner, frame.k - 1, frame.first))
            else:
                free = max(frame.end, self.greedy(frame.graph, frame.degrees, frame.first))
                stack.pop()
        return free

    def two_colour(self, graph: Graph, first: int) -> int:
        end = first + 1
        for root in graph.vertices:
            counts.probes += 1  # tick
            if root in self.colours:
                continue
            self.colours[root] = first
            odd = False
            queue = [root]
            for u in queue:
                counts.vertices += 1  # tick
                counts.probes += 1  # tick
                other = 2 * first + 1 - self.colours[u]
                for w in graph.neighbours[u]:
                    counts.edges += 1  # tick
                    counts.probes += 1  # tick
                    colour = self.colours.get(w)
                    if colour is None:
                        self.colours[w] = other
                        end = first + 2
                        queue.append(w)
                    elif colour != other:
                        odd = True
            if odd:
                return FAILED
        return end

    def greedy(self, graph: Graph, degrees: "Dict[int, int]", first: int) -> int:
        end = first
        for u in graph.vertices:
            counts.probes += 1  # tick
            if u not in degrees:
                continue
            counts.vertices += 1  # tick
            taken = set()
            for w in graph.neighbours[u]:
                counts.edges += 1  # tick
                counts.probes += 1  # tick
                colour = self.colours.get(w)
                if colour is not None:
                    taken.add(colour)
            colour = first
            while colour in taken:
                colour += 1
            self.colours[u] = colour
            end = max(end, colour + 1)
        return end


def degrees_of(graph: Graph) -> "Dict[int, int]":
    degrees = {}
    for u in graph.vertices:
        counts.vertices += 1  # tick
        degrees[u] = len(graph.neighbours[u])
    return degrees


def widest(graph: Graph, degrees: "Dict[int, int]") -> "Tuple[int, int]":
    hub = greatest = 0
    for u in graph.vertices:
        counts.probes += 1  # tick
        degree = degrees.get(u, 0)
        if degree > greatest:
            hub = u
            greatest = degree
    return hub, greatest


def is_wide(degree: int, n: int, k: int) -> bool:
    product = float(degree)
    for _ in range(k - 2):
        product = product * (degree / n)
    return product >= 1


def neighbourhood(graph: Graph, degrees: "Dict[int, int]", hub: int) -> Graph:
    counts.subgraphs += 1  # tick
    counts.vertices += 1  # tick
    members = set()
    for w in graph.neighbours[hub]:
        counts.probes += 1  # tick
        if w in degrees:
            members.add(w)
    inner = Graph(sorted(members), {})
    for u in inner.vertices:
        counts.vertices += 1  # tick
        inner.neighbours[u] = intersection(graph.neighbours[u], members)
    return inner


def intersection(a: "Set[int]", b: "Set[int]") -> "Set[int]":
    if len(a) > len(b):
        return intersection(b, a)
    common = set()
    for w in a:
        counts.probes += 1  # tick
        if w in b:
            common.add(w)
    return common


def remove(graph: Graph, degrees: "Dict[int, int]", hub: int, inner: Graph) -> None:
    del degrees[hub]
    for u in inner.vertices:
        del degrees[u]
    for u in inner.vertices:
        counts.vertices += 1  # tick
        for w in graph.neighbours[u]:
            counts.edges += 1  # tick
            counts.probes += 1  # tick
            if w in degrees:
                degrees[w] -= 1


def load(options: Options) -> Colouring:
    text = read_input(options["input"]).decode("latin-1")
    if text.endswith("\n"):
        text = text[:-1]
    neighbours: "Dict[int, Set[int]]" = {}
    for index, line in enumerate(text.split("\n")):
        if line.startswith("#"):
            continue
        edge = re.match("([0-9]{1,10})\t([0-9]{1,10})\r?$", line)
        if edge is None or max(map(int, edge.groups())) > GREATEST_ID:
            raise bad_line(index, "an edge is two ids from 0 to 4294967295 and a tab between")
        u, v = int(edge.group(1)), int(edge.group(2))
        if u == v:
            raise bad_line(index, f"vertex {u} is joined to itself, and so has no colour")
        neighbours.setdefault(u, set()).add(v)
        neighbours.setdefault(v, set()).add(u)
    if not neighbours:
        raise UsageError("the input has no edge; make it with generate.py")
    return Colouring(Graph(sorted(neighbours), neighbours), options["form"])


def bad_line(index: int, what: str) -> UsageError:
    return UsageError(f"line {index + 1} of the input: {what}; take a SNAP edge list")


def prepare(task: Colouring) -> Colouring:
    return task


def run(task: Colouring) -> Colouring:
    task.colour()
    return task


def verify(task: Colouring) -> None:
    """Raise RuntimeError if the colouring is not proper."""
    for u in task.graph.vertices:
        colour = task.colours[u]
        if colour >= task.end:
            raise RuntimeError(f"vertex {u} has colour {colour} of only {task.end}")
        for w in task.graph.neighbours[u]:
            if task.colours[w] == colour:
                raise RuntimeError(f"vertices {u} and {w} are neighbours of one colour")


def digest(task: Colouring) -> int:
    verify(task)
    state = FNV_OFFSET
    for u in task.graph.vertices:
        state = fnv1a(b"%d\n" % task.colours[u], state)
    return fnv1a(b"%d\n" % task.end, state)


if __name__ == "__main__":
    main("colouring", load, prepare, run, digest, counts=counts, tier="plain")
