"""CPU time of the steady-state detector, over the simulated shapes.

Run from the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/steady_state.py
"""

import statistics
import time

import numpy as np

from runfair.statistics.steady_state import detect
from simulated.curves import SHAPES, curve

REPETITIONS = {500: 15, 2_000: 15, 60_000: 9, 1_000_000: 3}


def median_cpu_ms(durations: np.ndarray, repetitions: int) -> float:
    readings = []
    for _ in range(repetitions):
        before_ns = time.process_time_ns()
        detect(durations)
        readings.append(time.process_time_ns() - before_ns)
    return statistics.median(readings) / 1e6


def main() -> None:
    print("CPU ms" + "".join(f"{shape:>12}" for shape in SHAPES))
    for count, repetitions in REPETITIONS.items():
        row = []
        for shape in SHAPES:
            sample = curve(np.random.default_rng(count), count, shape, "gauss1")
            row.append(median_cpu_ms(sample.durations_ns, repetitions))
        print(f"{count:>9,}" + "".join(f"{cpu_ms:>12.1f}" for cpu_ms in row))


if __name__ == "__main__":
    main()
