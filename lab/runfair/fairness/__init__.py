"""Fairness: the checks, one in each file, and the verdict of each figure from their findings.

Pure functions on evidence; nothing here reads or writes a file. `audit` judges other tools'
results.
"""
