"""A program's control flow: basic blocks and the edges between them."""

from __future__ import annotations

from awfy.awfy.python.vector import Vector


class Block:
    __slots__ = ("name", "inward", "outward")

    def __init__(self, name: int) -> None:
        self.name = name
        self.inward: Vector[Block] = Vector()
        self.outward: Vector[Block] = Vector()

    def hash(self) -> int:
        return self.name


class Edge:
    __slots__ = ("from_", "to")

    def __init__(self, from_: Block, to: Block) -> None:
        self.from_ = from_
        self.to = to
        from_.outward.append(to)
        to.inward.append(from_)


class FlowGraph:
    __slots__ = ("blocks", "edges", "start")

    def __init__(self) -> None:
        self.blocks: Vector[Block] = Vector()
        self.edges: Vector[Edge] = Vector()
        # The first block that was made, or None.
        self.start: Block | None = None

    def size(self) -> int:
        return self.blocks.size()

    def block(self, name: int) -> Block:
        """The block of that name, which is made if there is none."""
        block = self.blocks.at(name)
        if block is None:
            block = Block(name)
            self.blocks.put(name, block)
        if self.size() == 1:
            self.start = block
        return block

    def connect(self, from_: int, to: int) -> None:
        self.edges.append(Edge(self.block(from_), self.block(to)))

    def add_diamond(self, from_: int) -> int:
        """Add two ways from a block to another one. Returns the name of the other one."""
        self.connect(from_, from_ + 1)
        self.connect(from_, from_ + 2)
        self.connect(from_ + 1, from_ + 3)
        self.connect(from_ + 2, from_ + 3)
        return from_ + 3

    def add_straight(self, from_: int, length: int) -> int:
        for i in range(length):
            self.connect(from_ + i, from_ + i + 1)
        return from_ + length

    def add_loops(self, from_: int) -> int:
        """Add two loops side by side in a third one. Returns the name of the block after them."""
        header = self.add_straight(from_, 1)
        first = self.add_diamond(header)
        between = self.add_straight(first, 1)
        second = self.add_diamond(between)
        footer = self.add_straight(second, 1)
        self.connect(second, between)
        self.connect(first, header)
        self.connect(footer, from_)
        return self.add_straight(footer, 1)
