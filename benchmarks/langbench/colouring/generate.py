"""Generates the input of the benchmark colouring, as contract.md in this folder specifies.

    python -m langbench.colouring.generate --workload youtube --seed 1 --vertices 20000
        --output PATH

All random numbers come from SplitMix64, and all arithmetic is on integers. The same arguments
therefore give the same bytes on every machine and version of Python.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.python.harness import MASK_64, SplitMix64

WORKLOADS = ("youtube", "layered")

# Properties of SNAP's com-Youtube, and how they are scaled for a smaller graph.
YOUTUBE_VERTICES = 1_134_890
YOUTUBE_EDGES = 2_987_624
YOUTUBE_GREATEST_DEGREE = 28_754
ID_GAP = 50  # one id in this many is left out: the greatest id of com-Youtube is 1,157,827

# The percentages of ends of edges that fall on the vertex with the greatest degree, and on a vertex
# drawn uniformly. All other ends are drawn by degree.
STAR_PERCENT = 2
EVEN_PERCENT = 7
# The percentage of edges between existing vertices that close a triangle.
TRIANGLE_PERCENT = 30

COLOURS = 5  # of the workload `layered`
LOOSE_SHARE = 8  # one vertex in so many of a layer is in no hub's group
LOOSE_EDGES = 3
BASE_DEGREE = 6  # mean, inside the 2-colourable graphs at the bottom

LEAST_VERTICES = 500  # with fewer, `layered` recurses less than three levels deep
MOST_VERTICES = 10_000_000

Edge = tuple[int, int]


class RequestError(ValueError):
    """A workload is unknown, or a number is out of range."""


class Growth:
    """A simple graph that grows edge by edge. The vertices of the graph are numbered in the order
    in which they are added."""

    def __init__(self, vertices: int, greatest_degree: int) -> None:
        self.neighbours: list[list[int]] = [[] for _ in range(vertices)]
        self.greatest_degree = greatest_degree
        self.ends: list[int] = []  # a draw from the ends of all edges is a draw by degree
        self.edges: set[Edge] = set()

    def join(self, u: int, v: int) -> bool:
        """Add an edge. Returns False if the edge already exists, or if one of its ends has the
        greatest degree."""
        edge = (u, v) if u < v else (v, u)
        if u == v or edge in self.edges:
            return False
        if max(len(self.neighbours[u]), len(self.neighbours[v])) >= self.greatest_degree:
            return False
        self.edges.add(edge)
        self.neighbours[u].append(v)
        self.neighbours[v].append(u)
        self.ends += edge
        return True


def youtube(random: SplitMix64, vertices: int) -> list[list[int]]:
    """The neighbours of each vertex of a graph that grows as social networks are thought to grow.

    An edge adds a new vertex, or joins two existing vertices (Aiello, Chung and Lu, "Random
    evolution in massive graphs", 2001). Existing ends are drawn by degree. Some edges between
    existing vertices close a triangle (Holme and Kim, Physical Review E 65, 2002). The graph is
    connected. No degree exceeds the greatest degree of com-Youtube, scaled by the power 3/4 of the
    number of vertices.
    """
    edges = YOUTUBE_EDGES * vertices // YOUTUBE_VERTICES
    scaled = YOUTUBE_GREATEST_DEGREE**4 * vertices**3 // YOUTUBE_VERTICES**3
    graph = Growth(vertices, math.isqrt(math.isqrt(scaled)))
    graph.join(0, 1)
    present = 2

    def drawn() -> int:
        way = random.bounded(100)
        if way < STAR_PERCENT:
            return 0
        if way < STAR_PERCENT + EVEN_PERCENT:
            return random.bounded(present)
        return graph.ends[random.bounded(len(graph.ends))]

    while len(graph.edges) < edges:
        # Drawn in this way, the numbers of vertices and of edges are exact.
        if random.bounded(edges - len(graph.edges)) < vertices - present:
            present += graph.join(drawn(), present)
        elif random.bounded(100) < TRIANGLE_PERCENT:
            around = graph.neighbours[drawn()]
            u, v = (around[random.bounded(len(around))] for _ in range(2))
            graph.join(u, v)
        else:
            graph.join(drawn(), drawn())
    return graph.neighbours


def layered(random: SplitMix64, vertices: int) -> list[list[int]]:
    """The neighbours of each vertex of a graph of nested hubs, with a planted colouring."""
    graph = Growth(vertices, vertices)
    planted = [0] * vertices
    plant(random, graph, planted, range(vertices), COLOURS)
    return graph.neighbours


def plant(
    random: SplitMix64, graph: Growth, planted: list[int], members: range, colours: int
) -> None:
    """Add edges between `members`. The members remain colourable with `colours` colours, by the
    colouring `planted`."""
    if colours == 2:
        for vertex in members:
            planted[vertex] = (vertex - members.start) % 2
        for vertex in members[:-1]:
            graph.join(vertex, vertex + 1)  # a path, so that it is one component
        for _ in range(len(members) * (BASE_DEGREE - 2) // 2):
            u, v = (members[random.bounded(len(members))] for _ in range(2))
            if planted[u] != planted[v]:
                graph.join(u, v)
        return
    loose = len(members) // LOOSE_SHARE
    grouped = members[: len(members) - loose]
    # Half of the number of groups with which the degrees of hubs would be at Wigderson's limit.
    groups = max(2, root(len(members), colours - 1) // 2)
    for group in range(groups):
        start = len(grouped) * group // groups
        hub, *_ = part = grouped[start : len(grouped) * (group + 1) // groups]
        planted[hub] = colours - 1
        for vertex in part[1:]:
            graph.join(hub, vertex)
        plant(random, graph, planted, part[1:], colours - 1)
    for vertex in members[len(grouped) :]:
        planted[vertex] = random.bounded(colours)
        joined = 0
        while joined < LOOSE_EDGES:
            other = grouped[random.bounded(len(grouped))]
            joined += planted[other] != planted[vertex] and graph.join(vertex, other)


def root(n: int, degree: int) -> int:
    """The greatest r for which r ** degree is at most n."""
    r = 1
    while (r + 1) ** degree <= n:
        r += 1
    return r


def edge_list(workload: str, seed: int, vertices: int) -> list[Edge]:
    """The edges as pairs of ids, the smaller id first, in ascending order. Raises RequestError."""
    if workload not in WORKLOADS:
        raise RequestError(f"workload {workload!r} is unknown, choose from {', '.join(WORKLOADS)}")
    if not 0 <= seed <= MASK_64:
        raise RequestError(f"give a seed from 0 to 2^64 - 1, not {seed}")
    if not LEAST_VERTICES <= vertices <= MOST_VERTICES:
        raise RequestError(
            f"ask for {LEAST_VERTICES} to {MOST_VERTICES} vertices, not for {vertices}"
        )
    random = SplitMix64(seed)
    if workload == "youtube":
        neighbours = youtube(random, vertices)
        order = crawl(neighbours, random.bounded(vertices))
    else:
        neighbours = layered(random, vertices)
        order = list(range(vertices))
        random.shuffle(order)
    ids = numbered(random, order)
    return sorted(
        (ids[u], ids[v]) for u in range(vertices) for v in neighbours[u] if ids[u] < ids[v]
    )


def crawl(neighbours: list[list[int]], start: int) -> list[int]:
    """The vertices in the order in which a breadth-first crawl finds them, as in com-Youtube."""
    met = [False] * len(neighbours)
    met[start] = True
    order = [start]
    for vertex in order:
        for neighbour in neighbours[vertex]:
            if not met[neighbour]:
                met[neighbour] = True
                order.append(neighbour)
    return order


def numbered(random: SplitMix64, order: list[int]) -> list[int]:
    """An id for each vertex. Ids ascend in the given order, begin at 1, and have gaps."""
    ids = [0] * len(order)
    free = 1
    for vertex in order:
        free += random.bounded(ID_GAP) == 0
        ids[vertex] = free
        free += 1
    return ids


def lines(workload: str, seed: int, vertices: int) -> Iterator[str]:
    """The lines of the file, in the format of SNAP. Raises RequestError."""
    edges = edge_list(workload, seed, vertices)
    yield f"# Undirected graph: {workload}, seed {seed}, made by runfair\n"
    yield f"# Nodes: {vertices} Edges: {len(edges)}\n"
    yield "# FromNodeId\tToNodeId\n"
    for u, v in edges:
        yield f"{u}\t{v}\n"


def write(path: Path, text: Iterator[str]) -> None:
    """Write a file atomically: even after a power cut it is either complete or missing."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with temporary.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a graph for the benchmark colouring.")
    parser.add_argument("--workload", choices=WORKLOADS, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--vertices", type=int, required=True, help="how many")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    if sys.stderr.isatty():
        print(f"colouring: making {arguments.vertices} vertices", file=sys.stderr)
    try:
        write(arguments.output, lines(arguments.workload, arguments.seed, arguments.vertices))
    except (RequestError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
