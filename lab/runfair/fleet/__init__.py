"""Many machines, on Slurm: hosts for trying it, the partition, its jobs, and blocks given to hosts.
The rest of the lab knows of several machines only by `host` and `role` in records, and by places.
"""
