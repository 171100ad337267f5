"""All stored runs as series: one figure of one cell on one machine, and the points where its level
changed.
"""
