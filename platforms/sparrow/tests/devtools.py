"""A client of the DevTools protocol, as small as the tests of the inspector allow."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

LIMIT_S = 60

Event = dict[str, Any]


class DevTools:
    """A connection to a program's inspector, by its address `ws://HOST:PORT/ID`."""

    def __init__(self, address: str) -> None:
        place, self.path = address.removeprefix("ws://").split("/", 1)
        self.host, port = place.rsplit(":", 1)
        self.port = int(port)
        self.socket = socket.create_connection((self.host, self.port), timeout=LIMIT_S)
        self.received = b""
        self.calls = 0
        self.events: list[Event] = []
        self._begin()

    def _begin(self) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET /{self.path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.received:
            self._receive()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101 "):
            self.close()
            raise ConnectionError(head.split(b"\r\n")[0].decode())

    def _receive(self) -> None:
        part = self.socket.recv(1 << 20)
        if not part:
            raise ConnectionError("the inspector has closed the connection")
        self.received += part

    def _take(self, count: int) -> bytes:
        while len(self.received) < count:
            self._receive()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def post(self, method: str, **parameters: object) -> int:
        """Sends a command, and returns its number."""
        self.calls += 1
        command = {"id": self.calls, "method": method, "params": parameters}
        content = json.dumps(command, ensure_ascii=False).encode()
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(content))
        size = len(content)
        length = struct.pack("!B", 0x80 | size) if size < 126 else struct.pack("!BH", 0xFE, size)
        self.socket.sendall(b"\x81" + length + mask + masked)
        return self.calls

    def _message(self) -> Event:
        while True:
            opcode, size = self._take(2)
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._take(8))
            content = self._take(size)
            if opcode == 0x81:
                message: Event = json.loads(content)
                return message

    def call(self, method: str, **parameters: object) -> Event:
        """The result of a command. Events that arrive before it are kept."""
        return self.answer(self.post(method, **parameters))

    def answer(self, number: int) -> Event:
        while True:
            message = self._message()
            if message.get("id") == number:
                assert "error" not in message, message
                result: Event = message["result"]
                return result
            self.events.append(message)

    def event(self, method: str, suits: Callable[[Event], bool] = lambda _: True) -> Event:
        """The parameters of the next event of this name, which may have arrived already."""
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            for event in self.events:
                if event.get("method") == method and suits(event["params"]):
                    self.events.remove(event)
                    found: Event = event["params"]
                    return found
            self.events.append(self._message())
        raise TimeoutError(method)

    def kept(self, method: str) -> list[Event]:
        """The parameters of the events of this name that have arrived."""
        return [each["params"] for each in self.events if each.get("method") == method]

    def evaluate(self, expression: str, **options: object) -> object:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, **options)
        assert "exceptionDetails" not in result, result
        value: object = result["result"].get("value")
        return value

    def close(self) -> None:
        """Vanishes without a word, as a debugger that is killed."""
        self.socket.close()
