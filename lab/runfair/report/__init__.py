"""One model (`model`), shown as tables (`table`) on the terminal and in Markdown, as JSON, and as a
page of pictures (`page`)."""
