"""In-place merge sort of strings that uses only swaps: langbench/sort/contract.md."""

from __future__ import annotations

from harness.python.harness import FNV_OFFSET, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

DUPLICATES = 64  # the number of different words in the workload `duplicates`
DIGEST_CHUNK = 4096  # words hashed at a time: joining all would stand in the peak of memory


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.comparisons = 0
        self.swaps = 0


counts = Counts()


def sort(x: List[str], lo: int, hi: int) -> None:
    if hi - lo > 1:
        middle = lo + (hi - lo) // 2
        work = lo + hi - middle
        sort_into(x, lo, middle, work)
        while work - lo > 2:
            end = work
            work = lo + (end - lo + 1) // 2
            sort_into(x, work, end, lo)
            merge(x, lo, lo + end - work, end, hi, work)
        for first in range(work, lo, -1):
            at = first
            while at < hi:
                counts.comparisons += 1  # tick
                if not x[at] < x[at - 1]:
                    break
                counts.swaps += 1  # tick
                x[at], x[at - 1] = x[at - 1], x[at]
                at += 1


def sort_into(x: List[str], lo: int, hi: int, work: int) -> None:
    """Sort x[lo:hi] into x[work : work + hi - lo]."""
    if hi - lo > 1:
        middle = lo + (hi - lo) // 2
        sort(x, lo, middle)
        sort(x, middle, hi)
        merge(x, lo, middle, middle, hi, work)
    elif lo < hi:
        counts.swaps += 1  # tick
        x[lo], x[work] = x[work], x[lo]


def merge(  # noqa: PLR0917 - the contract's own parameters
    x: List[str], a: int, a_end: int, b: int, b_end: int, work: int
) -> None:
    while a < a_end and b < b_end:
        counts.comparisons += 1  # tick
        if x[a] < x[b]:
            counts.swaps += 1  # tick
            x[work], x[a] = x[a], x[work]
            a += 1
        else:
            counts.swaps += 1  # tick
            x[work], x[b] = x[b], x[work]
            b += 1
        work += 1
    while a < a_end:
        counts.swaps += 1  # tick
        x[work], x[a] = x[a], x[work]
        a += 1
        work += 1
    while b < b_end:
        counts.swaps += 1  # tick
        x[work], x[b] = x[b], x[work]
        b += 1
        work += 1


def load(options: Options) -> List[str]:
    letters, length = int(options["letters"]), int(options["length"])
    n = letters**length
    random = SplitMix64(int(options["seed"]))
    if options["workload"] == "classic":
        return [word(number, letters, length) for number in range(n - 1, -1, -1)]
    if options["workload"] == "duplicates":
        return [word(random.bounded(min(DUPLICATES, n)), letters, length) for _ in range(n)]
    words = [word(number, letters, length) for number in range(n)]
    random.shuffle(words)
    return words


def word(number: int, letters: int, length: int) -> str:
    """Make the word with this number: the number's digits in base `letters`, most significant
    first."""
    codes = bytearray(length)
    for place in range(length - 1, -1, -1):
        number, digit = divmod(number, letters)
        codes[place] = ord("a") + digit
    return codes.decode("ascii")


def prepare(words: List[str]) -> List[str]:
    return words.copy()


def run(words: List[str]) -> List[str]:
    sort(words, 0, len(words))
    return words


def digest(words: List[str]) -> int:
    state = FNV_OFFSET
    for start in range(0, len(words), DIGEST_CHUNK):
        lines = "\n".join(words[start : start + DIGEST_CHUNK]) + "\n"
        state = fnv1a(lines.encode("ascii"), state)
    return state


if __name__ == "__main__":
    main("sort", load, prepare, run, digest, counts=counts)
