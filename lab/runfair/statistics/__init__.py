"""Statistics of measurements: pure functions on numpy arrays and floats.

No input or output, no global random state, and nothing imported from the rest of the laboratory.
The execution (the life of one process), not the iteration, is the unit of repetition: iterations
are first reduced to one figure an execution, then executions are compared.

    one execution      steady_state (by blocks and changepoint), stopping
    one service        percentile, objective, capacity, pauses, closed_loop
    one variant        headline, partial_identification
    two distributions  distance
    two variants       comparison, change
    all stored runs    level_shift
    the machine        noise_floor, disturbance
"""
