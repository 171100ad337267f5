"""Simulated experiments: executions in their order, on a machine that may drift."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def experiment(
    rng: np.random.Generator,
    *,
    repetitions: int,
    blocks: int,
    deviations: tuple[float, ...],
    drift: float = 0.0,
) -> FloatArray:
    """Values of shape (repetitions, variants, blocks, 2); every variant's true value is 1.

    In each block all variants run in a random order, then in its mirror. `deviations` are the
    variants' between-process standard deviations, on logs; `drift` is how much slower the machine
    is at the end of the experiment than at its start, linearly.
    """
    variants = len(deviations)
    order = np.argsort(rng.random((repetitions, blocks, variants)), axis=2)
    place = np.argsort(order, axis=2)
    places = np.stack([place, 2 * variants - 1 - place], axis=3)
    places = places + (np.arange(blocks) * 2 * variants)[None, :, None, None]
    slowness = drift * places / (2 * variants * blocks - 1)
    noise = rng.standard_normal(places.shape) * np.array(deviations)[None, None, :, None]
    values: FloatArray = np.exp(np.moveaxis(slowness + noise, 2, 1))
    return values
