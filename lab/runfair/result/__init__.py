"""The result of a run: its figures from evidence and verdicts; and the comparison of two runs."""
