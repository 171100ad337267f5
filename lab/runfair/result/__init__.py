"""The result of a run (its figures, computed from evidence and verdicts), and the comparison of two
runs."""
