"""Whether a web service keeps the rules of its suite, as seen on its connections and on those to
its database. `rules_kept` is the entry point.
"""
