"""runfair measures language runtimes fairly, and shows why they differ."""

__version__ = "0.1.0"
