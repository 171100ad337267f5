"""The bare code of sources in languages with braces and in Newspeak (`.ns`): comments and literals
are blanked out.

The remaining text shows where statements begin and which brackets are open, whatever comments and
strings contain. Python sources do not need this module, because Python has its own parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMENT = r"(?P<remark>//[^\n]*)|(?P<comment>/\*(?s:.*?)\*/)"
_STRING = r'(?P<literal>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')'
# C and C++ splice lines, also in `//` comments, and a directive may contain a comment of several
# lines.
_C_REMARK = r"//(?:\\\n|[^\n])*"
_C_PARTS = rf'{_C_REMARK}|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|\\\n|[^\n]'
_C = "|".join(
    [
        rf"(?P<directive>^[ \t]*#(?:{_C_PARTS})*)",
        rf"(?P<remark>{_C_REMARK})|(?P<comment>/\*(?s:.*?)\*/)",
        r'(?P<literal>\b(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?s:.*?)\)(?P=delimiter)"'
        r"|\"(?:\\(?s:.)|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')",
        r"(?P<number>\b\d(?:'?[\w.])*)",  # 1'000'000 holds no character
    ]
)
_GO = rf"{_COMMENT}|(?P<raw>`[^`]*`)|{_STRING}"
_JAVA = rf'{_COMMENT}|(?P<block>"""(?:\\(?s:.)|[^\\])*?""")|{_STRING}'
_RUST = "|".join(
    [
        r"(?P<remark>//[^\n]*)|(?P<nested>/\*)",
        r'(?P<raw>\b(?:b|c)?r(?P<hashes>#*)"(?s:.*?)"(?P=hashes))',
        r"(?P<literal>\"(?:\\(?s:.)|[^\"\\])*\"|'(?:\\[^\n]+?|[^\\'\n])')|(?P<lifetime>'\w+)",
    ]
)
_JAVASCRIPT = rf"{_COMMENT}|{_STRING}"
# Erlang: `$(` is a character; strings and quoted atoms may have several lines.
_ERLANG = (
    r"(?P<remark>%[^\n]*)"
    r"|(?P<literal>\"(?:\\(?s:.)|[^\"\\])*\"|'(?:\\(?s:.)|[^'\\])*'|\$\\?.)"
)
# A template may contain strings. A template with braces, or a nested template, is read as code.
_TEXT = r'"(?:\\.|[^"\\\n])*"'
_KOTLIN = "|".join(
    [
        r"(?P<remark>//[^\n]*)|(?P<nested>/\*)",
        r'(?P<raw>"""(?s:.*?)"""+)',
        rf'(?P<literal>"(?:\\.|\$\{{(?:{_TEXT}|[^{{}}"\n])*\}}|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')',
    ]
)
_REST = r"|(?P<word>\w+)|(?P<space>[ \t]+)|(?P<end>\n)|(?P<other>.)"
_LEXERS = {
    suffix: re.compile(pattern + _REST, re.MULTILINE)
    for pattern, suffixes in [
        (_C, (".c", ".cpp", ".h", ".hpp")),
        (_ERLANG, (".erl",)),
        (_GO, (".go",)),
        (_JAVA, (".java",)),
        (_JAVASCRIPT, (".js", ".mjs")),
        (_KOTLIN, (".kt",)),
        (_RUST, (".rs",)),
    ]
    for suffix in suffixes
}
SUFFIXES = tuple(_LEXERS)
_REGULAR_EXPRESSION = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+/\w*")
_TEMPLATE = re.compile(r"(?:\\(?s:.)|\$(?!\{)|[^`\\$])*(?:`|\$\{)")
_VALUE_ENDS = re.compile(r"[\w)\]\"$]\s*$")
_NO_VALUE = re.compile(r"\b(?:return|typeof|case|in|of|do|else|void|delete|throw|yield|await)\s*$")
_MACRO = re.compile(r"(?:\bmacro_rules\s*!\s*\w+|\w\s*!)\s*$")
_NESTED_PART = re.compile(r"/\*|\*/")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_NEAR = 80  # the number of characters before a bracket or a slash that decide its meaning


@dataclass
class BareCode:
    """The code of a source without comments and literals, as lines numbered from 0.

    `remarks` are the comments at the ends of lines; `open` is the innermost open bracket at the
    beginning of each line (empty at the top level); `directives` are lines of C's preprocessor;
    `in_macro` are lines inside a Rust macro's arguments, which may not mean what they look like.
    """

    lines: list[str] = field(default_factory=list)
    remarks: dict[int, str] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    directives: set[int] = field(default_factory=set)
    in_macro: set[int] = field(default_factory=set)


def bare_code(text: str, suffix: str) -> BareCode:
    """The bare code of a source whose name ends in one of SUFFIXES."""
    return _Reading(text, suffix).read()


class _Reading:
    """The reading of a source, from its beginning to its end."""

    def __init__(self, text: str, suffix: str) -> None:
        self._text = text
        self._lexer = _LEXERS[suffix]
        self._javascript = suffix in (".js", ".mjs")
        self._rust = suffix == ".rs"
        self._found = BareCode(open=[""])
        self._code: list[str] = []  # number of the line that is read
        self._before = ""  # the end of the code so far
        self._stack: list[tuple[str, bool]] = []  # open brackets, and whether a macro's

    def read(self) -> BareCode:
        at = 0
        while at < len(self._text):
            match = self._lexer.match(self._text, at)
            assert match is not None
            at = self._take(match)
        self._found.lines.append("".join(self._code))
        return self._found

    def _take(self, match: re.Match[str]) -> int:
        """Read a token, and return the position of the next token."""
        kind, token = match.lastgroup, match.group()
        if kind == "remark":
            self._found.remarks[len(self._found.lines)] = token
            self._blank(token)
        elif kind == "comment":
            self._blank(token)
        elif kind == "directive":
            first = len(self._found.lines)
            self._found.directives.update(range(first, first + token.count("\n") + 1))
            self._blank(token)
        elif kind == "nested":
            return self._nested_comment(match.start())
        elif kind in ("literal", "raw", "block"):
            self._literal(token)
        elif kind == "end":
            self._end_line()
        elif kind == "other":
            return self._other(match)
        else:
            self._say(token)
        return match.end()

    def _other(self, match: re.Match[str]) -> int:
        token = match.group()
        if self._javascript and token == "`":
            return self._template(match.end())
        if self._javascript and token == "/" and self._begins_value():
            literal = _REGULAR_EXPRESSION.match(self._text, match.start())
            if literal is not None:
                self._literal(literal.group())
                return literal.end()
        if token in _PAIRS:
            macro = self._rust and bool(_MACRO.search(self._before))
            inside = bool(self._stack) and self._stack[-1][1]
            self._stack.append((token, macro or inside))
        elif token in _PAIRS.values() and self._stack:
            opened, _ = self._stack.pop()
            if opened == "${":
                return self._template(match.end())
        self._say(token)
        return match.end()

    def _begins_value(self) -> bool:
        """Whether a slash at this position begins a regular expression. If it does not, the slash
        is a division."""
        return not _VALUE_ENDS.search(self._before) or bool(_NO_VALUE.search(self._before))

    def _template(self, start: int) -> int:
        """Read the text of a template, up to its end or to the beginning of code in it."""
        part = _TEMPLATE.match(self._text, start)
        if part is None:
            return self._unended(start)
        self._literal(part.group())
        if part.group().endswith("${"):
            self._stack.append(("${", False))
        return part.end()

    def _nested_comment(self, start: int) -> int:
        depth = 0
        for part in _NESTED_PART.finditer(self._text, start):
            depth += 1 if part.group() == "/*" else -1
            if depth == 0:
                self._blank(self._text[start : part.end()])
                return part.end()
        return self._unended(start)

    def _unended(self, start: int) -> int:
        self._blank(self._text[start:])
        return len(self._text)

    def _literal(self, token: str) -> None:
        self._say('"')
        self._blank(token)
        self._say('"')

    def _blank(self, token: str) -> None:
        for _ in range(token.count("\n")):
            self._end_line()

    def _say(self, token: str) -> None:
        self._code.append(token)
        self._before = (self._before + token)[-_NEAR:]

    def _end_line(self) -> None:
        self._found.lines.append("".join(self._code))
        self._code.clear()
        self._before = (self._before + "\n")[-_NEAR:]
        opened, macro = self._stack[-1] if self._stack else ("", False)
        self._found.open.append(opened)
        if macro:
            self._found.in_macro.add(len(self._found.lines))


_NEWSPEAK_TOKEN = re.compile(
    r"(?P<comment>\(\*)|(?P<literal>'(?:''|\\(?s:.)|[^'\\])*'|\"(?:\"\"|[^\"])*\")|(?P<end>\n)|(?s:.)"
)
_NEWSPEAK_COMMENT_PART = re.compile(r"\(\*|\*\)")
# The text before the bracket that opens a method or a class.
_NEWSPEAK_METHOD = re.compile(r"=\s*$")
BODY = "=("


def newspeak_code(text: str) -> BareCode:
    """The bare code of a Newspeak source. A bracket that opens a method or a class is BODY."""
    found = BareCode(open=[""])
    stack: list[str] = []
    code = ""

    def end_line() -> None:
        nonlocal code
        found.lines.append(code)
        found.open.append(stack[-1] if stack else "")
        code = ""

    at = 0
    while at < len(text):
        match = _NEWSPEAK_TOKEN.match(text, at)
        assert match is not None
        token, at = match.group(), match.end()
        if match.lastgroup == "comment":
            at = _newspeak_comment_end(text, match.start())
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
                stack.append(BODY if token == "(" and _NEWSPEAK_METHOD.search(code) else token)
            elif token in ")]}" and stack:
                stack.pop()
            code += token
    found.lines.append(code)
    return found


def _newspeak_comment_end(text: str, start: int) -> int:
    """The end of a comment, which may contain nested comments."""
    depth = 0
    for part in _NEWSPEAK_COMMENT_PART.finditer(text, start):
        depth += 1 if part.group() == "(*" else -1
        if depth == 0:
            return part.end()
    return len(text)
