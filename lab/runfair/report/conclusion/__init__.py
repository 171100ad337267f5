"""What a run answers, in few words: on the terminal, above the tables, at the top of the page."""
