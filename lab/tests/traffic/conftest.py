"""The load generator and a server to send to, as the tests of `loading` have them."""

from __future__ import annotations

from loading.conftest import executable, server

__all__ = ["executable", "server"]
