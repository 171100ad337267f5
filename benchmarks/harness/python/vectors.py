"""Answers the questions of benchmarks/harness/vectors.txt."""

import sys

from harness.python.harness import SplitMix64, fnv1a
from harness.python.recorder import cell_of

for line in sys.stdin:
    question = line.rstrip("\n").partition(" =")[0]
    primitive, _, told = question.partition(" ")
    answer: "list[object]" = [f"{fnv1a(told.encode()):016x}"]
    if primitive == "cell":
        answer = [cell_of(int(value)) for value in told.split()]
    elif primitive != "fnv1a":
        seed, *numbers = map(int, told.split())
        random = SplitMix64(seed)
        if primitive == "splitmix64":
            answer = [f"{random.next():016x}" for _ in range(numbers[0])]
        elif primitive == "bounded":
            answer = [random.bounded(n) for n in numbers]
        else:
            answer = [*range(numbers[0])]
            random.shuffle(answer)
    print(question, "=", *answer)
