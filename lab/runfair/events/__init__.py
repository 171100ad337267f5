"""Garbage collections and compilations of stock runtimes, on one clock.

`instrumentation` says with which environment a program has to be started, `StampedLines` keeps
what it then says together with the instants at which it was said, and `collect` turns both into
events. `docs/events.md` says what each runtime tells and how exactly.
"""
