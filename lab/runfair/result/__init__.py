"""Every displayed number: a run's figures from its evidence and verdicts, and two runs compared."""
