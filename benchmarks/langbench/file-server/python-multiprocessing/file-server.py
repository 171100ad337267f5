"""Static files over HTTP/1.1, by several processes with threads:
langbench/file-server/contract.md."""

from __future__ import annotations

from harness.services.python.service import serve

from ..python.server import load, work

if __name__ == "__main__":
    serve("file-server", load, work, tier="multiprocessing", processes=True)
