"""Checks the harness against the test vectors: python -m harness.python.vectors vectors.json."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, Dict, Iterator, List, Tuple

from harness.python.harness import SplitMix64, fnv1a

Vector = Dict[str, Any]


def splitmix64(vector: Vector) -> Tuple[object, object]:
    random = SplitMix64(int(vector["seed"]))
    return [f"{random.next():016x}" for _ in vector["next"]], vector["next"]


def bounded(vector: Vector) -> Tuple[object, object]:
    random = SplitMix64(int(vector["seed"]))
    return [random.bounded(bound) for bound in vector["bounds"]], vector["values"]


def shuffle(vector: Vector) -> Tuple[object, object]:
    elements = list(range(vector["length"]))
    SplitMix64(int(vector["seed"])).shuffle(elements)
    return elements, vector["order"]


def hash_of_text(vector: Vector) -> Tuple[object, object]:
    return f"{fnv1a(vector['text'].encode('utf-8')):016x}", vector["digest"]


CHECKS: Dict[str, Callable[[Vector], Tuple[object, object]]] = {
    "splitmix64": splitmix64,
    "bounded": bounded,
    "shuffle": shuffle,
    "fnv1a": hash_of_text,
}


def failures(vectors: Dict[str, List[Vector]]) -> Iterator[str]:
    for primitive, check in CHECKS.items():
        if not vectors[primitive]:
            yield f"{primitive}: the file has no vectors"
        for vector in vectors[primitive]:
            found, expected = check(vector)
            if found != expected:
                yield f"{primitive} {vector}: found {found}"


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        failed = list(failures(json.load(file)))
    print("\n".join(failed) or "vectors ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
