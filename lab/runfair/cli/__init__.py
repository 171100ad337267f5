"""The command line: one file a verb, which reads arguments, calls, and prints; no logic."""
