"""The forms of a run's result: a conclusion (`conclusion`), tables (`table`) for the terminal and
Markdown, and a page of pictures (`page`)."""
