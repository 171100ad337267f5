"""From an experiment's file to a run on disk: plan, order, execute, record, resume."""
