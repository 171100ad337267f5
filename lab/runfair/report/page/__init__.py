"""A run's report as one page (`report.html`): charts, each with its verdict and a table of its
numbers, then every number of the run.

`contents` lists what is on the page, `rendering` turns it into HTML, `export` writes SVG and PNG
files.
"""
