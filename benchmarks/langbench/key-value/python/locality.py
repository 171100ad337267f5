"""The distance in memory between the nodes of a row."""

from __future__ import annotations

import gc
from collections import Counter
from typing import List


def locality(distances: List[int]) -> List[str]:
    """The lines of the section about locality in the answer to INFO."""
    distances = sorted(distances)
    median = distances[(len(distances) - 1) // 2] if distances else 0
    each = sorted(Counter(distances).items(), key=lambda item: (-item[1], item[0]))
    (frequent, frequent_pairs), (next_frequent, next_frequent_pairs) = [*each, (0, 0), (0, 0)][:2]
    collections = sum(generation["collections"] for generation in gc.get_stats())
    return [
        "# Locality",
        f"collections:{collections}",
        f"pairs:{len(distances)}",
        f"median_distance_bytes:{median}",
        f"different_distances:{len(each)}",
        f"frequent_distance_bytes:{frequent}",
        f"frequent_distance_pairs:{frequent_pairs}",
        f"next_frequent_distance_bytes:{next_frequent}",
        f"next_frequent_distance_pairs:{next_frequent_pairs}",
        "",
    ]
