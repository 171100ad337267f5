"""Static files over HTTP/1.1, in processes of threads: langbench/file-server/contract.md."""

from __future__ import annotations

from harness.python.service import serve

from ..python.server import service

if __name__ == "__main__":
    serve(service("multiprocessing", processes=True))
