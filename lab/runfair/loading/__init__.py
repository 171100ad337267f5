"""The lab's typed client of the load generator (`loadgen/`): builds it, starts it, reads its files.

load.Load               a load to be carried out, as one value
traffic                 what a load sends: one request, Redis operations, or a file of requests
generator.generator()   the executable, built on this machine when first needed
generator.start()       a running load: its progress, then its result
"""
