"""A recorded run as the checks see it: executions, loads, pauses, blocks, the machine's speed.

`reading` alone reads files; everything else is computed from what it read.
"""
