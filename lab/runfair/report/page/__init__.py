"""A run as one page (`report.html`): pictures, each with its verdict and its table, then every
number. `contents` says what is on it, `rendering` makes it HTML, `export` SVG and PNG."""
