"""A request, whose parts are matched by regular expressions."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Match

MOST_BODY_BYTES = 65536
MOST_DIGITS = 15

TOKEN = rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)"
LINE = re.compile(TOKEN + rb" ([\x21-\x7e]+) HTTP/([0-9])\.([0-9])")
FIELD = re.compile(TOKEN + rb":([^\x00-\x08\x0a-\x1f\x7f]*)")
HOST = re.compile(rb"[A-Za-z0-9._~%!$&'()*+;=:\[\]-]*")
DIGITS = re.compile(rb"[0-9]+")
ABSOLUTE = re.compile(rb"http://([^/?]*)(.*)", re.IGNORECASE)
ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})?")
NAME = re.compile(rb"(?!\.\.?\Z)[\x20-.0-\[\]-\x7e]+")


class Failure(Exception):
    """A request that is not answered with a file. `field` is a further line of the head."""

    def __init__(self, status: int, field: str = "") -> None:
        super().__init__(status)
        self.status = status
        self.field = field


class Request:
    def __init__(self, line: bytes) -> None:
        match = LINE.fullmatch(line)
        if match is None:
            raise Failure(400)
        if match.group(3) != b"1":
            raise Failure(505)
        self.method = match.group(1)
        self.target = match.group(2)
        self.minor = 0 if match.group(4) == b"0" else 1
        self.headers: "Dict[bytes, bytes]" = {}

    def add(self, line: bytes) -> None:
        match = FIELD.fullmatch(line)
        if match is None:
            raise Failure(400)
        name, value = match.group(1).lower(), match.group(2).strip(b" \t")
        before = self.headers.get(name)
        self.headers[name] = value if before is None else before + b"," + value

    def body_length(self) -> int:
        host = self.headers.get(b"host")
        if self.minor == 1 if host is None else not HOST.fullmatch(host):
            raise Failure(400)
        length = self.headers.get(b"content-length")
        if b"transfer-encoding" in self.headers:
            raise Failure(411 if length is None else 400)
        if length is not None and not DIGITS.fullmatch(length):
            raise Failure(400)
        if length is not None and (len(length) > MOST_DIGITS or int(length) > MOST_BODY_BYTES):
            raise Failure(413)
        if b"expect" in self.headers and self.minor == 1:
            raise Failure(417)
        return int(length or b"0")

    @property
    def persistent(self) -> bool:
        connection = self.headers.get(b"connection", b"")
        tokens = [token.strip(b" \t").lower() for token in connection.split(b",")]
        return b"close" not in tokens and (self.minor == 1 or b"keep-alive" in tokens)

    def file_name(self) -> "List[str]":
        """The names of the folders, and of the file."""
        path = self.target
        absolute = ABSOLUTE.fullmatch(path)
        if absolute is not None:
            if not absolute.group(1):
                raise Failure(400)
            path = absolute.group(2) if absolute.group(2).startswith(b"/") else b"/"
        if not path.startswith(b"/"):
            raise Failure(400)
        segments = path.split(b"?", 1)[0][1:].split(b"/")
        segments = [ESCAPE.sub(unescaped, segment) for segment in segments]
        if not all(NAME.fullmatch(segment) for segment in segments):
            raise Failure(404)
        return [segment.decode("ascii") for segment in segments]


def unescaped(escape: "Match[bytes]") -> bytes:
    if escape.group(1) is None:
        raise Failure(400)
    return bytes([int(escape.group(1), 16)])
