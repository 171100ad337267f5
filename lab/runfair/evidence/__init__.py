"""The evidence of a recorded run, as the checks read it: executions, loads, pauses, blocks,
machine.

`reading` alone reads files; everything else is computed from what it read.
"""
