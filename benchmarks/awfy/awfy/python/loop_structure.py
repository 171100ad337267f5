"""The loops that were found, and which of them is in which."""

from __future__ import annotations

from awfy.awfy.python.vector import Vector
from awfy.awfy.python.vector_set import IdentitySet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.flow_graph import Block


class Loop:
    __slots__ = (
        "header",
        "is_reducible",
        "number",
        "is_root",
        "nesting",
        "depth",
        "parent",
        "blocks",
        "children",
    )

    def __init__(self, header: Block | None, is_reducible: bool, number: int) -> None:
        self.header = header
        self.is_reducible = is_reducible
        self.number = number
        self.is_root = False
        self.nesting = 0
        self.depth = 0
        self.parent: Loop | None = None
        self.blocks: IdentitySet[Block] = IdentitySet()
        self.children: IdentitySet[Loop] = IdentitySet()
        if header is not None:
            self.blocks.add(header)

    def add(self, block: Block) -> None:
        self.blocks.add(block)

    def put_into(self, outer: Loop) -> None:
        self.parent = outer
        outer.children.add(self)

    def set_nesting(self, level: int) -> None:
        self.nesting = level
        if level == 0:
            self.is_root = True


class LoopStructure:
    __slots__ = ("loops", "root", "last")

    def __init__(self) -> None:
        self.loops: Vector[Loop] = Vector()
        self.root = Loop(None, True, 0)
        self.last = 0
        self.root.set_nesting(0)
        self.loops.append(self.root)

    def size(self) -> int:
        return self.loops.size()

    def add(self, header: Block, is_reducible: bool) -> Loop:
        self.last += 1
        loop = Loop(header, is_reducible, self.last)
        self.loops.append(loop)
        return loop

    def nest(self) -> None:
        """Put loops that are in no other into the root, and compute how deep all are nested."""

        def put_into_root(loop: Loop) -> None:
            if not loop.is_root and loop.parent is None:
                loop.put_into(self.root)

        self.loops.for_each(put_into_root)
        self.nest_in(self.root, 0)

    def nest_in(self, loop: Loop, depth: int) -> None:
        loop.depth = depth

        def nest_child(child: Loop) -> None:
            self.nest_in(child, depth + 1)
            loop.set_nesting(max(loop.nesting, 1 + child.nesting))

        loop.children.for_each(nest_child)
