"""What programs measure of themselves beside time: the metrics of their iterations, and samples.

Metrics stand in the iterations' lines, samples among what else a program said, both of which a run
keeps verbatim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from runfair.formats.histogram import Histogram, NotAHistogram
from runfair.formats.program import EVENT, SAMPLE, Iteration, Sample
from runfair.formats.run_folder import RunFolder

FloatArray = npt.NDArray[np.float64]
MOST_ITERATIONS = 200_000  # whose metrics are read


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The values of one name in one execution, in the order in which they came."""

    name: str
    unit: str
    values: FloatArray


def own_values(folder: RunFolder, execution: str) -> list[OwnValues]:
    """Those of all iterations together; lines that are none of the contract are passed over."""
    gathered: dict[tuple[str, str], list[FloatArray]] = {}
    for name, unit, values in (*_metrics(folder, execution), *_samples(folder, execution)):
        finite = values[np.isfinite(values)]
        if len(finite):
            gathered.setdefault((name, unit), []).append(finite)
    return [
        OwnValues(name, unit, np.concatenate(parts)) for (name, unit), parts in gathered.items()
    ]


def _metrics(folder: RunFolder, execution: str) -> Iterator[tuple[str, str, FloatArray]]:
    path = folder.iterations_file(execution)
    if not path.exists():
        return
    told: dict[tuple[str, str], list[float]] = {}
    with path.open("rb") as file:
        for number, line in enumerate(file):
            if number == MOST_ITERATIONS or b'"metrics"' not in line:
                break
            event = _event(line)
            if isinstance(event, Iteration):
                for name, metric in event.metrics.items():
                    told.setdefault((name, metric.unit), []).append(metric.value)
    for (name, unit), values in told.items():
        yield name, unit, np.array(values, dtype=np.float64)


def _samples(folder: RunFolder, execution: str) -> Iterator[tuple[str, str, FloatArray]]:
    """Programs of contract 1 printed them."""
    path = folder.raw_folder(execution) / "stdout"
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            event = _event(line, SAMPLE) if b'"sample"' in line else None
            if isinstance(event, Sample):
                yield event.name, event.unit, _values(event)


def _event(line: bytes, kind: TypeAdapter[Any] = EVENT) -> object:
    try:
        return kind.validate_json(line)
    except ValidationError:
        return None


def _values(sample: Sample) -> FloatArray:
    """A histogram's values are the upper ends of its cells, each as often as it was counted."""
    if sample.values is not None:
        return np.array(sample.values, dtype=np.float64)
    if sample.hdr is None:
        return np.empty(0)
    try:
        histogram = Histogram.decoded(sample.hdr)
    except NotAHistogram:
        return np.empty(0)
    return np.repeat(histogram.greatest, histogram.counts).astype(np.float64)
