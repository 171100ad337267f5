"""The conclusion of a run: short answers, shown on the terminal, above the tables, and on the
page."""
