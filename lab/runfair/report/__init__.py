"""One model (`model`), shown as tables (`table`) on the terminal and in Markdown."""
