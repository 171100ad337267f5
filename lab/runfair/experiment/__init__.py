"""Experiments: the steps from an experiment's file to a recorded run (plan, order, execute, record,
resume)."""
