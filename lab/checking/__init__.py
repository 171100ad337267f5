"""The steps of `./check`. Each step is a command or a test run. A closing line sums up the
outcomes."""
