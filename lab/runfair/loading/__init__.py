"""The lab's typed client of the load generator (`loadgen/`): builds it, starts it, reads its files.

load.Load               what is asked of it, as one value
generator.generator()   the executable, built on this machine when first needed
session.start()         a running load: its progress, then its result
result.LoadResult       what it says of the run
interval_log, records   its interval histograms, and every single request
"""
