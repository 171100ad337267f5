"""Fairness: the checks, one in each file, and the verdict of each figure from their findings.

All functions are pure functions of the evidence; none reads or writes a file. `audit` judges the
results of other tools.
"""
