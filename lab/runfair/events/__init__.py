"""Garbage collections and compilations of stock runtimes, on one clock.

`instrumentation` returns the environment that makes a program report its events. `StampedStream`
stores its output with the instant at which each line arrived. `collect` turns both into events.
`EventCapture` combines the three for an execution. `docs/events.md` says what each runtime reports,
and how exactly.
"""
