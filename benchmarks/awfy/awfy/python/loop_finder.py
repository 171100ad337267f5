"""Havlak's search for the loops of a flow graph."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.identity_dictionary import IdentityDictionary
from awfy.awfy.python.vector import Vector
from awfy.awfy.python.vector_set import VectorSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from awfy.awfy.python.flow_graph import Block, FlowGraph
    from awfy.awfy.python.loop_structure import Loop, LoopStructure

UNVISITED = 2147483647
MOST_PREDECESSORS = 32 * 1024

OTHER = 0
REDUCIBLE = 1
SELF = 2
IRREDUCIBLE = 3
DEAD = 4


class Node:
    """A node of the sets of nodes that have become one loop."""

    __slots__ = ("parent", "block", "number", "loop")

    def __init__(self) -> None:
        self.parent: Node | Any = None
        self.block: Block | Any = None
        self.number = 0
        self.loop: Loop | None = None

    def init(self, block: Block, number: int) -> None:
        self.parent = self
        self.block = block
        self.number = number
        self.loop = None

    def find(self) -> Node:
        """The set's own node. Nodes on the way are put directly below it."""
        passed: Vector[Node] = Vector()
        node = self
        while node is not node.parent:
            counts.steps += 1  # tick
            if node.parent is not node.parent.parent:
                passed.append(node)
            node = node.parent
        top = node
        passed.for_each(lambda one: one.unite_with(top))
        return top

    def unite_with(self, other: Node) -> None:
        self.parent = other


class LoopFinder:
    __slots__ = (
        "graph",
        "structure",
        "other_predecessors",
        "back_predecessors",
        "numbers",
        "header",
        "kind",
        "last",
        "nodes",
    )

    def __init__(self, graph: FlowGraph, structure: LoopStructure) -> None:
        self.graph = graph
        self.structure = structure
        self.other_predecessors: Vector[VectorSet[int]] = Vector()
        self.back_predecessors: Vector[Vector[int]] = Vector()
        self.numbers: IdentityDictionary[Block, int] = IdentityDictionary()
        self.header: list[int] | Any = None
        self.kind: list[int] | Any = None
        self.last: list[int] | Any = None
        self.nodes: list[Node | Any] | Any = None

    def find_loops(self) -> None:
        if self.graph.start is None:
            return
        size = self.graph.size()
        self.init(size)
        self.graph.blocks.for_each(lambda block: self.numbers.put(block, UNVISITED))
        self.number(self.graph.start, 0)
        self.classify_edges(size)
        self.header[0] = 0
        for w in range(size - 1, -1, -1):
            if self.nodes[w].block is not None and not self.find_loop(w):
                return

    def init(self, size: int) -> None:
        self.other_predecessors.remove_all()
        self.back_predecessors.remove_all()
        self.numbers.remove_all()
        self.header = [0] * size
        self.kind = [OTHER] * size
        self.last = [0] * size
        self.nodes = [None] * size
        for i in range(size):
            self.other_predecessors.append(VectorSet())
            self.back_predecessors.append(Vector())
            self.nodes[i] = Node()

    def number(self, block: Block, number: int) -> int:
        """Number the blocks from here depth first. Returns the last number that was given."""
        counts.steps += 1  # tick
        self.nodes[number].init(block, number)
        self.numbers.put(block, number)
        given = number
        targets = block.outward
        for i in range(targets.size()):
            target = targets.at(i)
            if self.numbers.get(target) == UNVISITED:
                given = self.number(target, given + 1)
        self.last[number] = given
        return given

    def is_ancestor(self, w: int, v: int) -> bool:
        return w <= v <= self.last[w]

    def classify_edges(self, size: int) -> None:
        """Tell edges that lead back to an ancestor from the others."""
        for w in range(size):
            self.header[w] = 0
            self.kind[w] = OTHER
            block = self.nodes[w].block
            if block is None:
                self.kind[w] = DEAD
            elif block.inward.size() > 0:

                def classify(source: Block, w: int = w) -> None:
                    v = self.numbers.get(source)
                    if v != UNVISITED:
                        if self.is_ancestor(w, v):
                            self.back_predecessors.at(w).append(v)
                        else:
                            self.other_predecessors.at(w).add(v)

                block.inward.for_each(classify)

    def find_loop(self, w: int) -> bool:
        """Find the loop whose header is w, if there is one. Returns False if there are too many
        edges."""
        pool: Vector[Node] = Vector()
        self.add_back_predecessors(w, pool)
        todo: Vector[Node] = Vector()
        pool.for_each(todo.append)
        if pool.size() != 0:
            self.kind[w] = REDUCIBLE
        while not todo.is_empty():
            x = todo.remove_first()
            if self.other_predecessors.at(x.number).size() > MOST_PREDECESSORS:
                return False
            self.add_other_predecessors(w, pool, todo, x)
        if pool.size() > 0 or self.kind[w] == SELF:
            loop = self.structure.add(self.nodes[w].block, self.kind[w] != IRREDUCIBLE)
            self.unite(w, pool, loop)
        return True

    def add_back_predecessors(self, w: int, pool: Vector[Node]) -> None:
        def add(v: int) -> None:
            if v != w:
                pool.append(self.nodes[v].find())
            else:
                self.kind[w] = SELF

        self.back_predecessors.at(w).for_each(add)

    def add_other_predecessors(
        self, w: int, pool: Vector[Node], todo: Vector[Node], x: Node
    ) -> None:
        def add(v: int) -> None:
            y = self.nodes[v].find()
            if not self.is_ancestor(w, y.number):
                self.kind[w] = IRREDUCIBLE
                self.other_predecessors.at(w).add(y.number)
            elif y.number != w and not pool.has_some(lambda node: node is y):
                todo.append(y)
                pool.append(y)

        self.other_predecessors.at(x.number).for_each(add)

    def unite(self, w: int, pool: Vector[Node], loop: Loop) -> None:
        """The nodes of a loop become one. Loops that they belong to are in this loop."""
        self.nodes[w].loop = loop

        def add(node: Node) -> None:
            self.header[node.number] = w
            node.unite_with(self.nodes[w])
            if node.loop is not None:
                node.loop.put_into(loop)
            else:
                loop.add(node.block)

        pool.for_each(add)
