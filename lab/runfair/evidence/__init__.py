"""The evidence of a recorded run, as the checks read it: executions, loads, pauses, blocks,
machine.

Only the module `reading` reads files. The other modules compute evidence from these data.
"""
