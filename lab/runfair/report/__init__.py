"""The report of a run: a conclusion (`conclusion`), tables (`table`) for the terminal and Markdown,
and a page of pictures (`page`)."""
