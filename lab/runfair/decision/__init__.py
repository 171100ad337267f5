"""What a rewrite could gain at a service's operating point, and whether that justifies it.

Pure functions on plain values: no input or output. Figures come from a run's evidence, verdicts
from the fairness checks; nothing is measured here.

    contenders      the services at an operating point, and their baseline
    service_cost    what was measured of one service, execution by execution
    breakdown       the mean request's time: own CPU, run queue, database, other waits
    bound           the most that any runtime could gain
    tail            the slowest requests, looked at one by one
    slowest         what was seen of each: queue, pause, database, processors
    database_time   whose queries were whose, and what of a request's time they took at least
    processor_time  what of it CPU time and run queue can have been at most
    limits          a time between its least and its most
    tail_account    the tail in plain words
    sizing          instances, memory, cost at a stated load and price; break-even
    question        what the engineer states: objective, load, price, effort
    remedy          what to look at when the time is elsewhere
    verdict         justified, not justified, cannot be told; and why
    sentence        the verdict in plain words
"""
