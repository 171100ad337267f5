"""Whether a figure was obtained fairly: one check a file, and the verdict that follows.

Pure functions on evidence; nothing here reads or writes a file. `audit` judges what other tools
wrote.
"""
