"""What a rewrite could gain at a service's operating point, and whether that justifies it.

Pure functions on plain values: no input or output. Figures come from a run's evidence, verdicts
from the fairness checks; nothing is measured here.

    contenders      the services at an operating point, and their baseline
    service_cost    what was measured of one service, execution by execution
    breakdown       the mean request's time: own CPU, run queue, database, other waits; its bound
    gain            what a candidate was measured to gain
    slowest         the slowest requests, laid against everything that was seen meanwhile
    tail            what made each of them slow
    database_time   whose queries were whose, and what of a request's time they took at least
    limits          a time between its least and its most
    sizing          instances, memory and cost at a stated load and price; break-even
    rules           justified, not justified, cannot be told; and why
    sentence        the decision in plain words
    answer          what `./runfair decide` prints
"""
