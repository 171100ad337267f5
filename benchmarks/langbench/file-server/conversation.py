"""Requests and the answers that contract.md requires, read from cases.json, and functions that send
them over a socket."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases.json")
MODIFIED_S = 784_111_777  # Sun, 06 Nov 1994 08:49:37 GMT, RFC 9110's own example
DATE = "Date: (the time)"
LIMIT_S = 20.0

REASONS = {
    200: "OK",
    206: "Partial Content",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    505: "HTTP Version Not Supported",
}
TYPES = {
    "txt": "text/plain; charset=utf-8",
    "log": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Answer:
    """An answer: the lines of its head, and its body."""

    lines: tuple[str, ...]
    body: bytes

    @property
    def status(self) -> int:
        return int(self.lines[0].split(" ")[1])

    def field(self, name: str) -> str | None:
        found = [line for line in self.lines[1:] if line.lower().startswith(f"{name.lower()}:")]
        assert len(found) <= 1, found
        return found[0].partition(":")[2].strip() if found else None

    @property
    def said(self) -> Answer:
        """The answer without its time. The time's form is checked first."""
        pattern = (
            r"Date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT"
        )
        lines = tuple(DATE if re.fullmatch(pattern, line) else line for line in self.lines)
        return Answer(lines, self.body)


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    send: bytes
    answers: tuple[Answer, ...]

    @property
    def heads(self) -> list[bool]:
        """Which of the answers have no body, whatever length they state."""
        return [answer.field("Content-Length") != str(len(answer.body)) for answer in self.answers]


class Site:
    """The served folder to which the cases refer."""

    def __init__(self) -> None:
        self.text: dict[str, Any] = json.loads(CASES.read_text("utf-8"))
        self.files: dict[str, str] = self.text["files"]
        self.secret: str = self.text["secret"]
        self.library: dict[str, list[str]] = self.text["library"]

    def make(self, folder: Path) -> Path:
        """Makes the folder that the option `input` names."""
        for name, content in self.files.items():
            path = folder / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "ascii")
            os.utime(path, (MODIFIED_S, MODIFIED_S))
        for name, target in self.text["links"].items():
            (folder / "files" / name).symlink_to(target)
        (folder / "secret.txt").write_text(self.secret, "ascii")
        return folder

    def cases(self) -> list[Case]:
        return [
            Case(
                group=case["group"],
                name=case["name"],
                send=spelled(case["send"]),
                answers=tuple(
                    self.expected(answer)
                    for answer in case["answers"]
                    for _ in range(answer.get("times", 1))
                ),
            )
            for case in self.text["cases"]
        ]

    def expected(self, answer: dict[str, Any]) -> Answer:
        """The whole answer, with the words that contract.md prescribes."""
        status = answer["status"]
        lines = [f"HTTP/1.1 {status} {REASONS[status]}", DATE]
        body = b""
        if status in (200, 206):
            name = answer["file"]
            content = self.files[name].encode()
            first, last = answer.get("range", (0, len(content) - 1))
            body = content[first : last + 1]
            lines += [
                f"Last-Modified: {formatdate(MODIFIED_S, usegmt=True)}",
                f"Content-Type: {content_type(name)}",
                f"Content-Length: {len(body)}",
                "Accept-Ranges: bytes",
            ]
            if status == 206:
                lines.append(f"Content-Range: bytes {first}-{last}/{len(content)}")
        else:
            lines.append("Content-Length: 0")
        if status == 405:
            lines.append("Allow: GET, HEAD")
        if status == 416:
            lines.append(f"Content-Range: bytes */{answer['size']}")
        if "connection" in answer:
            lines.append(f"Connection: {answer['connection']}")
        return Answer(tuple(lines), b"" if answer.get("method") == "HEAD" else body)


def content_type(name: str) -> str:
    _, dot, extension = name.rpartition(".")
    return TYPES.get(extension.lower() if dot else "", "application/octet-stream")


def spelled(send: str | list[Any]) -> bytes:
    """The bytes of a text in cases.json. Each character is a byte; the part [TEXT, N] is TEXT
    repeated N times."""
    if isinstance(send, str):
        return send.encode("latin-1")
    return b"".join(
        part.encode("latin-1") if isinstance(part, str) else part[0].encode("latin-1") * part[1]
        for part in send
    )


def answers(said: bytes, heads: Iterator[bool]) -> list[Answer]:
    """The answers in all bytes that a server sent. `heads` names the answers that have no body."""
    found = []
    while said:
        head, end, said = said.partition(b"\r\n\r\n")
        assert end, head
        answer = Answer(tuple(head.decode("latin-1").split("\r\n")), b"")
        length = 0 if next(heads, False) else int(answer.field("Content-Length") or "0")
        assert len(said) >= length, "the last answer is cut off"
        found.append(Answer(answer.lines, said[:length]))
        said = said[length:]
    return found


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)


def received(client: socket.socket) -> bytes:
    """All bytes until the server closes the connection."""
    parts = []
    while part := client.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def told(port: int, *parts: bytes) -> bytes:
    """The answer of a server to these parts, which are sent one after another. The answer is read
    until the server closes."""
    with connect(port) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                client.sendall(part)
            client.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has closed the connection after an error message
        return received(client)
