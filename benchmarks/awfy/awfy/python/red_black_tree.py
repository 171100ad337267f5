"""The suite's own sorted dictionary."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.type_parameters import Generic, K, V

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Node:
    __slots__ = ("key", "value", "left", "right", "parent", "red")

    def __init__(self, key: Any, value: Any, parent: Node | None) -> None:
        self.key = key
        self.value = value
        self.left: Node | Any = None
        self.right: Node | Any = None
        self.parent: Node | Any = parent
        self.red = True


def first(top: Node) -> Node:
    node = top
    while node.left is not None:
        node = node.left
    return node


def following(node: Node) -> Node | Any:
    if node.right is not None:
        return first(node.right)
    below = node
    while below.parent is not None and below is below.parent.right:
        below = below.parent
    return below.parent


def is_black(node: Node | None) -> bool:
    return node is None or not node.red


class RedBlackTree(Generic[K, V]):
    """A tree. A key has a method `compare_to`."""

    __slots__ = ("root",)

    def __init__(self) -> None:
        self.root: Node | Any = None

    def find(self, key: K) -> Node | None:
        node = self.root
        while node is not None:
            counts.elements += 1  # tick
            order = key.compare_to(node.key)
            if order == 0:
                return node
            node = node.left if order < 0 else node.right
        return None

    def get(self, key: K) -> V | Any:
        """The value of a key, or None."""
        node = self.find(key)
        return None if node is None else node.value

    def put(self, key: K, value: V) -> V | Any:
        """The value that the key had before, or None."""
        parent = None
        node = self.root
        order = 0
        while node is not None:
            counts.elements += 1  # tick
            order = key.compare_to(node.key)
            if order == 0:
                old = node.value
                node.value = value
                return old
            parent = node
            node = node.left if order < 0 else node.right
        added = Node(key, value, parent)
        if parent is None:
            self.root = added
        elif order < 0:
            parent.left = added
        else:
            parent.right = added
        self.balance_added(added)
        return None

    def balance_added(self, added: Node) -> None:
        node = added
        while node is not self.root and node.parent.red:
            parent = node.parent
            grandparent = parent.parent
            is_left = parent is grandparent.left
            uncle = grandparent.right if is_left else grandparent.left
            if uncle is not None and uncle.red:
                parent.red = False
                uncle.red = False
                grandparent.red = True
                node = grandparent
            else:
                if node is (parent.right if is_left else parent.left):
                    node = parent
                    self.rotate(node, is_left)
                node.parent.red = False
                grandparent.red = True
                self.rotate(grandparent, not is_left)
        self.root.red = False

    def rotate(self, node: Node, to_left: bool) -> None:
        """Move a node down to the left, or to the right, and its other child up."""
        child = node.right if to_left else node.left
        inner = child.left if to_left else child.right
        if to_left:
            node.right = inner
            child.left = node
        else:
            node.left = inner
            child.right = node
        if inner is not None:
            inner.parent = node
        self.replace(node, child)
        node.parent = child

    def replace(self, node: Node, other: Node | None) -> None:
        """Put a node, or None, where another one was below its parent."""
        if other is not None:
            other.parent = node.parent
        if node.parent is None:
            self.root = other
        elif node is node.parent.left:
            node.parent.left = other
        else:
            node.parent.right = other

    def remove(self, key: K) -> None:
        node = self.find(key)
        if node is None:
            return
        was_red = node.red
        if node.left is None or node.right is None:
            child = node.right if node.left is None else node.left
            parent = node.parent
            self.replace(node, child)
        else:
            successor = first(node.right)
            was_red = successor.red
            child = successor.right
            parent = successor
            if successor.parent is not node:
                parent = successor.parent
                self.replace(successor, child)
                successor.right = node.right
                successor.right.parent = successor
            self.replace(node, successor)
            successor.left = node.left
            successor.left.parent = successor
            successor.red = node.red
        if not was_red:
            self.balance_removed(child, parent)

    def balance_removed(self, child: Node | Any, above: Node | Any) -> None:
        node = child
        parent = above
        while node is not self.root and is_black(node):
            is_left = node is parent.left
            sibling = parent.right if is_left else parent.left
            if sibling.red:
                sibling.red = False
                parent.red = True
                self.rotate(parent, is_left)
                sibling = parent.right if is_left else parent.left
            near = sibling.left if is_left else sibling.right
            far = sibling.right if is_left else sibling.left
            if is_black(near) and is_black(far):
                sibling.red = True
                node = parent
                parent = node.parent
            else:
                if is_black(far):
                    near.red = False
                    sibling.red = True
                    self.rotate(sibling, not is_left)
                    far = sibling
                    sibling = near
                sibling.red = parent.red
                parent.red = False
                far.red = False
                self.rotate(parent, is_left)
                node = self.root
        if node is not None:
            node.red = False

    def for_each(self, action: Callable[[K, V], object]) -> None:
        """In the order of the keys."""
        node = None if self.root is None else first(self.root)
        while node is not None:
            counts.elements += 1  # tick
            action(node.key, node.value)
            node = following(node)
