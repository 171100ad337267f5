"""Garbage collections and compilations of stock runtimes, with instants on one clock.

`instrumentation` returns the environment that makes a program report its events. `StampedStream`
stores the program's output and the instant at which each line arrived. `collect` makes events from
the program's reports and these lines. `EventCapture` combines the three for an execution.
`docs/events.md` says which events each runtime reports, and how precise their times are.
"""
