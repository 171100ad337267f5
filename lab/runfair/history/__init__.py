"""All stored runs as series: one figure of one cell on one machine, and where its level changed."""
