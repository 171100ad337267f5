"""Whether a web service keeps the rules of its suite, seen from outside: on its connections, and on
those to its database. `rules_kept` is the way in."""
