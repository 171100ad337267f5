"""The contract's pseudocode as functions on a list, in Python 3.6 (sort/contract.md)."""

from harness.python.harness import FNV_OFFSET, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class Counts:
    def __init__(self) -> None:
        self.comparisons = 0
        self.swaps = 0


counts = Counts()


def sort(x: "List[str]", lo: int, hi: int) -> None:
    if hi - lo <= 1:
        return
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
        while at < hi and less(x, at, at - 1):
            swap(x, at, at - 1)
            at += 1


def sort_into(x: "List[str]", lo: int, hi: int, work: int) -> None:
    if hi - lo > 1:
        middle = lo + (hi - lo) // 2
        sort(x, lo, middle)
        sort(x, middle, hi)
        merge(x, lo, middle, middle, hi, work)
    elif lo < hi:
        swap(x, lo, work)


def merge(x: "List[str]", a: int, a_end: int, b: int, b_end: int, work: int) -> None:
    while a < a_end and b < b_end:
        if less(x, a, b):
            swap(x, work, a)
            a += 1
        else:
            swap(x, work, b)
            b += 1
        work += 1
    while a < a_end:
        swap(x, work, a)
        a += 1
        work += 1
    while b < b_end:
        swap(x, work, b)
        b += 1
        work += 1


def less(x: "List[str]", p: int, q: int) -> bool:
    counts.comparisons += 1  # tick
    return x[p] < x[q]


def swap(x: "List[str]", i: int, j: int) -> None:
    counts.swaps += 1  # tick
    x[i], x[j] = x[j], x[i]


def load(options: Options) -> "List[str]":
    workload = options["workload"]
    letters, length = int(options["letters"]), int(options["length"])
    count = letters**length
    random = SplitMix64(int(options["seed"]))
    words = []
    for p in range(count):
        number = p
        if workload == "classic":
            number = count - 1 - p
        elif workload == "duplicates":
            number = random.bounded(min(64, count))
        words.append(word(number, letters, length))
    if workload == "shuffled":
        random.shuffle(words)
    return words


def word(number: int, letters: int, length: int) -> str:
    text = ""
    for _ in range(length):
        text = chr(ord("a") + number % letters) + text
        number //= letters
    return text


def prepare(words: "List[str]") -> "List[str]":
    return list(words)


def run(words: "List[str]") -> "List[str]":
    sort(words, 0, len(words))
    return words


def digest(words: "List[str]") -> int:
    state = FNV_OFFSET
    for text in words:
        state = fnv1a((text + "\n").encode("ascii"), state)
    return state


if __name__ == "__main__":
    main("sort", load, prepare, run, digest, counts=counts, tier="plain")
