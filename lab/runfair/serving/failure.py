"""What can go wrong with a service: an outcome of its execution, never the end of the run."""

from __future__ import annotations


class ServiceFailed(Exception):
    """The service did not start, was not ready in time, or died; the message is one line."""
