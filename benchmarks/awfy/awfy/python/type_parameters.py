"""Type parameters of the suite's own collections, which only the type checker reads. An import of
`typing` would add to start-up, which is measured."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, Protocol, TypeVar

    class Hashed(Protocol):
        def hash(self) -> int: ...

    class Ordered(Protocol):
        def compare_to(self, other: Any) -> int: ...

    E = TypeVar("E")  # an element
    H = TypeVar("H", bound=Hashed)  # a key of a dictionary
    K = TypeVar("K", bound=Ordered)  # a key of a tree
    V = TypeVar("V")  # a value
else:
    E, H, K, V = "EHKV"

    class Generic:
        __slots__ = ()

        def __class_getitem__(cls, _parameters):
            return cls


__all__ = ["E", "Generic", "H", "K", "V"]
