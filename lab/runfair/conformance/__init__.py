"""Checks whether a web service keeps the rules of its suite, by observing the service's connections
and its connections to the database. `rules_kept` is the entry point.
"""
