"""Runs over many machines through Slurm: a cluster for trials, a partition and its jobs, and the
distribution of blocks over hosts.

The other rooms of the lab handle several machines only through places, and through `host` and
`role` in records.
"""
