"""The two streams: results go to standard output, everything else to standard error."""

from __future__ import annotations

import sys

from rich.console import Console

FILE_WIDTH = 160  # what tables may take where there is no terminal to measure


class Output(Console):
    """A console whose reader may leave: a pager or `head` that has seen enough is no error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


output = Output(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False)
errors = Output(stderr=True, highlight=False)
