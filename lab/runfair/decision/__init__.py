"""Whether rewriting a service is justified: the possible gain at its operating point.

All functions are pure functions of plain values, without input or output. Figures come from a run's
evidence, and verdicts from the fairness checks. This room measures nothing.

    contenders      the services at an operating point, and their baseline
    service_cost    a service's figures, execution by execution
    breakdown       the mean request's time: own CPU, run queue, database, other waits; its bound
    gain            the measured gain of a candidate
    slowest         the slowest requests, compared with the events during them
    tail            the cause of each of the slowest requests
    database_time   the matching of queries with requests, and a request's time in the database
    database_floor  lower limits of the database time of all requests
    limits          a request's times, known between two limits
    sizing          instances, memory and cost at a stated load and price; break-even
    rules           the verdict (justified, not justified, cannot be told) and its reason
    sentence        the decision in plain words
    answer          the output of `./runfair decide`
"""
