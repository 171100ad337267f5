"""A run in the formats of other tools, one module for each format.

A void figure is never exported as a good one. If the format has a place for verdicts, the verdict
is exported; otherwise the figure is left out and named.
"""
