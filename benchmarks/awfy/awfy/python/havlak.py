"""Loops of a flow graph. The answer is the number of loops times 10000, and of blocks."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.flow_graph import FlowGraph
from awfy.awfy.python.loop_finder import LoopFinder
from awfy.awfy.python.loop_structure import LoopStructure

SEARCHES = 50
NESTED = 5


class Havlak(Benchmark):
    __slots__ = ("parallel",)

    def __init__(self, parallel: int) -> None:
        self.parallel = parallel

    def run(self, repetitions: int) -> int:
        graph = FlowGraph()
        structure = LoopStructure()
        graph.block(0)
        graph.add_loops(0)
        graph.block(1)
        graph.connect(0, 2)
        for _ in range(repetitions):
            LoopFinder(graph, structure).find_loops()
        self.add_trees(graph)
        LoopFinder(graph, structure).find_loops()
        for _ in range(SEARCHES):
            LoopFinder(graph, LoopStructure()).find_loops()
        structure.nest()
        return structure.size() * 10000 + graph.size()

    def add_trees(self, graph: FlowGraph) -> None:
        n = 2
        for _ in range(self.parallel):
            graph.block(n + 1)
            graph.connect(2, n + 1)
            n += 1
            for _ in range(self.parallel):
                top = n
                n = graph.add_straight(n, 1)
                for _ in range(NESTED):
                    n = graph.add_loops(n)
                bottom = graph.add_straight(n, 1)
                graph.connect(n, top)
                n = bottom
            graph.connect(n, 1)
