"""Statistics of measurements: pure functions on numpy arrays and floats.

The functions have no input or output and no global random state. They import nothing from the rest
of the laboratory. The unit of repetition is the execution (the life of one process), not the
iteration. The iterations of an execution are first reduced to one figure, and then executions are
compared.

    one execution      steady_state (by blocks and changepoint), stopping
    one service        percentile, objective, capacity, pauses, closed_loop
    one variant        headline, partial_identification
    two distributions  distance
    two variants       comparison, change
    all stored runs    level_shift
    the machine        noise_floor, disturbance
"""
