"""All stored runs as series. A series is one figure of one cell on one machine, with the points at
which its level changed.
"""
