"""What `./check` does: a list of steps, each a command or a test run, and one closing line."""
