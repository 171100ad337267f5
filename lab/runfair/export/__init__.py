"""Exports a run in the formats of other tools. Each format has a module.

A void figure is never exported as a good one. If the format has a place for verdicts, the verdict
is exported. If the format has none, the void figure is left out, and its name is reported.
"""
