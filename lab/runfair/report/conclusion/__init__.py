"""The conclusion of a run: short answers for the terminal, above the tables, and on the page."""
