"""The bare code of Newspeak sources (`.ns`): comments and literals are blanked out. The bare code
has the code of each line, and the bracket that is open at the line's beginning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?P<comment>\(\*)|(?P<literal>'(?:''|\\(?s:.)|[^'\\])*'|\"(?:\"\"|[^\"])*\")|(?P<end>\n)|(?s:.)"
)
_COMMENT_PART = re.compile(r"\(\*|\*\)")
_METHOD = re.compile(r"=\s*$")  # the text before the bracket that opens a method or a class
BODY = "=("


@dataclass
class NewspeakCode:
    """The bare code of a source, by line number from 0. A line has its code, the comment at its
    end, and the innermost bracket that is open at its beginning (BODY for a method's bracket, empty
    at the top level)."""

    lines: list[str] = field(default_factory=list)
    remarks: dict[int, str] = field(default_factory=dict)
    open: list[str] = field(default_factory=lambda: [""])


def newspeak_code(text: str) -> NewspeakCode:
    """The code of a Newspeak source."""
    found = NewspeakCode()
    stack: list[str] = []
    code = ""

    def end_line() -> None:
        nonlocal code
        found.lines.append(code)
        found.open.append(stack[-1] if stack else "")
        code = ""

    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None
        token, at = match.group(), match.end()
        if match.lastgroup == "comment":
            at = _comment_end(text, match.start())
            token = text[match.start() : at]
            found.remarks[len(found.lines)] = token
            for _ in range(token.count("\n")):
                end_line()
        elif match.lastgroup == "literal":
            code += "'"
            for _ in range(token.count("\n")):
                end_line()
            code += "'"
        elif match.lastgroup == "end":
            end_line()
        else:
            if token in "([{":
                stack.append(BODY if token == "(" and _METHOD.search(code) else token)
            elif token in ")]}" and stack:
                stack.pop()
            code += token
    found.lines.append(code)
    return found


def _comment_end(text: str, start: int) -> int:
    """The end of a comment, which may contain nested comments."""
    depth = 0
    for part in _COMMENT_PART.finditer(text, start):
        depth += 1 if part.group() == "(*" else -1
        if depth == 0:
            return part.end()
    return len(text)
