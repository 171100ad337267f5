"""Static files over HTTP/1.1, with a thread for each connection:
langbench/file-server/contract.md."""

from __future__ import annotations

from harness.services.python.service import serve

from .server import load, work

if __name__ == "__main__":
    serve("file-server", load, work)
