"""The two streams: results go to standard output, everything else to standard error."""

from __future__ import annotations

import sys

from rich.console import Console

FILE_WIDTH = 160  # what tables may take where there is no terminal to measure

output = Console(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False)
errors = Console(stderr=True, highlight=False)
