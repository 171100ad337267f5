"""Many machines through Slurm: a cluster for trials, a partition and its jobs, and blocks
distributed over hosts.

The rest of the lab knows several machines only through `host` and `role` in records, and through
places.
"""
