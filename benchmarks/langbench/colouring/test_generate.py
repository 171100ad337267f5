"""Tests the properties of the graphs that contract.md promises, with independent code."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from harness.python.harness import SplitMix64
from langbench.colouring import generate

BENCHMARKS = Path(__file__).parents[2]
VERTICES = 12_000
SHA256 = {
    "youtube": "3e439f95f518b4f815c9a8dfa566782a197ee511446f782c1b8ff8a887477e9f",
    "layered": "af8af3237ea4041540703aa6207db8e59541a7b6ee54ac9e9cf02edb58cfbbca",
}

Neighbours = dict[int, set[int]]


def neighbours_of(edges: list[tuple[int, int]]) -> Neighbours:
    neighbours: Neighbours = {}
    for u, v in edges:
        neighbours.setdefault(u, set()).add(v)
        neighbours.setdefault(v, set()).add(u)
    return neighbours


def reached(neighbours: Neighbours, start: int) -> set[int]:
    seen = {start}
    queue = deque(seen)
    while queue:
        for w in neighbours[queue.popleft()] - seen:
            seen.add(w)
            queue.append(w)
    return seen


def mean_clustering(neighbours: Neighbours) -> float:
    """The mean clustering: the share of a vertex's pairs of neighbours that are also neighbours of
    each other, as a mean over all vertices."""
    shares = [
        sum(len(neighbours[w] & around) for w in around) / (len(around) * (len(around) - 1))
        for around in neighbours.values()
        if len(around) > 1
    ]
    return sum(shares) / len(neighbours)


def tail_exponent(neighbours: Neighbours, least: int) -> float:
    """The exponent of the tail of the degrees, by maximum likelihood (Clauset, Shalizi and Newman,
    SIAM Review 51, 2009, equation 3.7)."""
    tail = [len(around) for around in neighbours.values() if len(around) >= least]
    return 1 + len(tail) / sum(math.log(degree / (least - 0.5)) for degree in tail)


def rewired(neighbours: Neighbours) -> Neighbours:
    """A graph in which each vertex has the same degree and the edges are otherwise drawn uniformly
    (nearly a Chung-Lu graph)."""
    random = SplitMix64(9)
    mixed = [u for u in sorted(neighbours) for _ in neighbours[u]]
    random.shuffle(mixed)
    return neighbours_of([(u, v) for u, v in zip(mixed[::2], mixed[1::2], strict=True) if u != v])


@pytest.fixture(scope="module", params=generate.WORKLOADS)
def workload(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def edges(workload: str) -> list[tuple[int, int]]:
    return generate.edge_list(workload, seed=1, vertices=VERTICES)


@pytest.fixture(scope="module")
def youtube() -> Neighbours:
    return neighbours_of(generate.edge_list("youtube", seed=1, vertices=VERTICES))


def test_edges_are_simple_and_ascend(edges: list[tuple[int, int]]) -> None:
    assert all(u < v for u, v in edges)
    assert edges == sorted(set(edges))


def test_every_vertex_is_there_and_ids_have_gaps(edges: list[tuple[int, int]]) -> None:
    ids = sorted(neighbours_of(edges))
    assert len(ids) == VERTICES
    # One id in fifty is left out, to within a few standard deviations.
    assert VERTICES * 1.01 < ids[-1] - ids[0] < VERTICES * 1.03


def test_youtube_is_one_component_of_com_youtubes_density(youtube: Neighbours) -> None:
    assert len(reached(youtube, min(youtube))) == VERTICES
    count = sum(map(len, youtube.values())) // 2
    assert count == 2_987_624 * VERTICES // 1_134_890


def test_youtube_has_a_heavy_tail(youtube: Neighbours) -> None:
    degrees = sorted((len(around) for around in youtube.values()), reverse=True)
    scaled = 28_754 * (VERTICES / 1_134_890) ** 0.75
    assert degrees[0] == math.floor(scaled)
    assert degrees[1] < 0.8 * degrees[0]
    # com-Youtube's: about 2.1 to 2.4; 53 of 100 vertices have one neighbour.
    assert 2.05 < tail_exponent(youtube, 6) < 2.35
    assert 0.4 < degrees.count(1) / VERTICES < 0.6


def test_youtube_is_clustered(youtube: Neighbours) -> None:
    """The mean clustering of com-Youtube is 0.081. A graph drawn only by degrees has a third of
    it."""
    assert 0.06 < mean_clustering(youtube) < 0.13
    assert mean_clustering(youtube) > 2.5 * mean_clustering(rewired(youtube))


def test_youtube_was_crawled_breadth_first(youtube: Neighbours) -> None:
    """In a breadth-first crawl, vertices are found in the order in which their first neighbours
    were found."""
    start, *others = sorted(youtube)
    met_from = [min(youtube[vertex]) for vertex in others]
    assert all(first < vertex for first, vertex in zip(met_from, others, strict=True))
    assert met_from == sorted(met_from)
    assert met_from[0] == start


def test_layered_is_of_hubs_of_hubs_of_hubs() -> None:
    neighbours = neighbours_of(generate.edge_list("layered", seed=1, vertices=VERTICES))
    within = set(neighbours)
    for k in (5, 4, 3):
        hub = max(within, key=lambda u: (len(neighbours[u] & within), -u))
        inner = neighbours[hub] & within
        assert len(inner) >= len(within) ** (1 - 1 / (k - 1))
        within = inner
    assert two_colourable({u: neighbours[u] & within for u in within})
    assert len(within) > 10


def two_colourable(neighbours: Neighbours) -> bool:
    side: dict[int, bool] = {}
    for root in neighbours:
        if root in side:
            continue
        side[root] = False
        queue = deque([root])
        while queue:
            u = queue.popleft()
            for w in neighbours[u]:
                if w not in side:
                    side[w] = not side[u]
                    queue.append(w)
                elif side[w] == side[u]:
                    return False
    return True


def test_two_colourable_can_fail() -> None:
    assert two_colourable(neighbours_of([(1, 2), (2, 3), (3, 4), (4, 1)]))
    assert not two_colourable(neighbours_of([(1, 2), (2, 3), (3, 1)]))


def test_same_arguments_same_bytes(
    edges: list[tuple[int, int]], workload: str, tmp_path: Path
) -> None:
    output = tmp_path / "graph.txt"
    arguments = ["--workload", workload, "--seed", "1", "--vertices", str(VERTICES)]
    subprocess.run(
        [sys.executable, "-m", "langbench.colouring.generate", *arguments, "--output", str(output)],
        check=True,
        cwd=BENCHMARKS,
    )
    lines = output.read_text("ascii").splitlines()
    assert [line for line in lines if not line.startswith("#")] == [f"{u}\t{v}" for u, v in edges]
    assert lines[1] == f"# Nodes: {VERTICES} Edges: {len(edges)}"
    assert hashlib.sha256(output.read_bytes()).hexdigest() == SHA256[workload]
    assert list(tmp_path.iterdir()) == [output]


def test_another_seed_another_graph(workload: str) -> None:
    one, other = (generate.edge_list(workload, seed, vertices=500) for seed in (1, 2))
    assert one != other


@pytest.mark.parametrize(
    ("workload", "seed", "vertices"),
    [
        ("facebook", 1, 1000),
        ("youtube", -1, 1000),
        ("youtube", 2**64, 1000),
        ("youtube", 1, 499),
        ("layered", 1, 10_000_001),
    ],
)
def test_requests_out_of_range(workload: str, seed: int, vertices: int) -> None:
    with pytest.raises(generate.RequestError):
        generate.edge_list(workload, seed, vertices)
