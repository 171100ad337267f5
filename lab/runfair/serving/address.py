"""Where a service listens."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Address:
    """A host and a port, and whether TLS is spoken there."""

    host: str
    port: int
    tls: bool = False

    @classmethod
    def of(cls, url: str) -> Address:
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        return cls(parts.hostname or "", parts.port or (443 if tls else 80), tls)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.tls else ''}://{host}:{self.port}"

    def accepts(self, timeout_s: float) -> bool:
        """Whether anybody listens there."""
        try:
            socket.create_connection((self.host, self.port), timeout_s).close()
        except OSError:
            return False
        return True
