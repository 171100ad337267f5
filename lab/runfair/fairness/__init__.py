"""Whether a figure was obtained fairly: one check a file, and the verdict that follows.

Pure functions on evidence built from the records of a run; nothing here reads or writes a file.
"""
