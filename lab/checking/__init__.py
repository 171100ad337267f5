"""The steps of `./check`: each is a command or a test run. A closing line sums them up."""
