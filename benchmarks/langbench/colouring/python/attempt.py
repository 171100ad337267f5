"""An attempt to colour a graph with k colours, in both forms."""

from __future__ import annotations

from langbench.colouring.python.graph import Graph, counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple

    Colours = Dict[int, int]
    Degrees = Dict[int, int]  # the degrees of the remaining vertices
else:
    Colours = dict


class CountedColours(Colours):
    """The table of colours that is used if operations are counted. Every visit of an edge reads the
    neighbour's colour by `get`. In `greedy` it does so within a comprehension, where no tick line
    is possible."""

    def get(self, vertex: int, preset: Any = None) -> Any:
        counts.edges += 1  # tick
        counts.probes += 1  # tick
        return super().get(vertex, preset)


class Frame:
    """A call of `recursive`. The list of frames has the arguments and variables of each call."""

    __slots__ = ("graph", "k", "first", "end", "degrees", "hub", "inner")

    def __init__(self, graph: Graph, k: int, first: int) -> None:
        self.graph = graph
        self.k = k
        self.first = first
        self.end = first
        self.degrees: Optional[Degrees] = None
        self.hub = 0
        self.inner = graph  # the hub's neighbourhood, once there is one


class Attempt:
    """An attempt to colour a graph. The colours are written to `colours`, which is empty at
    first."""

    def __init__(self, colours: Colours) -> None:
        counts.attempts += 1  # tick
        self.colours = colours

    def recursive(self, graph: Graph, k: int, first: int = 0) -> Optional[int]:
        """Colour the graph with colours from `first` on. Returns the first free colour after that,
        or None if k colours are too few."""
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
            first = free  # the hub has no uncoloured neighbour left, so its colour is used again

    def iterative(self, graph: Graph, k: int) -> Optional[int]:
        """Do the same as `recursive`, with an explicit stack."""
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
        degrees = {}
        for u in graph.vertices:
            counts.vertices += 1  # tick
            degrees[u] = len(neighbours[u])
        return degrees

    def widest(self, graph: Graph, degrees: Degrees) -> Tuple[int, int]:
        """Find the smallest of the vertices with the greatest degree."""
        hub = greatest = 0
        for u in graph.vertices:
            counts.probes += 1  # tick
            degree = degrees.get(u, 0)
            if degree > greatest:
                hub = u
                greatest = degree
        return hub, greatest

    def neighbourhood(self, graph: Graph, degrees: Degrees, hub: int) -> Graph:
        """Make the subgraph on N(hub), without the hub itself."""
        counts.subgraphs += 1  # tick
        counts.vertices += 1  # tick
        neighbours = graph.neighbours
        members = set()
        for w in neighbours[hub]:
            counts.probes += 1  # tick
            if w in degrees:
                members.add(w)
        vertices = sorted(members)
        inner = {}
        for u in vertices:
            counts.vertices += 1  # tick
            inner[u] = neighbours[u] & members
        return Graph(vertices, inner)

    def remove(self, graph: Graph, degrees: Degrees, hub: int, inner: Graph) -> None:
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

    def two_colour(self, graph: Graph, first: int) -> Optional[int]:
        colours, neighbours = self.colours, graph.neighbours
        end = first + 1
        for root in graph.vertices:
            counts.probes += 1  # tick
            if root in colours:
                continue
            colours[root] = first
            odd = False
            queue = [root]
            for u in queue:  # grows during the loop
                counts.vertices += 1  # tick
                counts.probes += 1  # tick
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
            counts.probes += 1  # tick
            if u not in degrees:
                continue
            counts.vertices += 1  # tick
            taken = {colours.get(w) for w in neighbours[u]}
            colour = first
            while colour in taken:
                colour += 1
            colours[u] = colour
            end = max(end, colour + 1)
        return end


def is_wide(degree: int, n: int, k: int) -> bool:
    """Return whether degree ≥ n ** (1 - 1 / (k - 1))."""
    product = float(degree)
    for _ in range(k - 2):
        product *= degree / n
    return product >= 1
