"""Garbage collections and compilations of stock runtimes, on one clock.

`instrumentation` says with which environment a program has to be started, `StampedStream` keeps
its output with the instant at which each line arrived, and `collect` turns both into events.
`EventCapture` does all three for an execution. `docs/events.md` says what each runtime reports and
how exactly.
"""
