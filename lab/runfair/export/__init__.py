"""A run in the formats of other tools, one a file. A void figure is never exported as if it were
good: where a format has a place for verdicts it stands there, elsewhere it is left out and named.
"""
