"""Tick lines: the lines of a program that count operations (benchmarks/contract.md, "Ticks").

The counted build uses the source unchanged. The timed build uses the same source in which each tick
line is blank, so line numbers do not change. A tick is refused if removing it could change the
meaning of other code.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable
from pathlib import PurePath

from runfair.building.bare_code import BODY, BareCode, bare_code, newspeak_code
from runfair.building.bare_code import SUFFIXES as BRACED
from runfair.building.failure import TickRefused

Forms = dict[int, re.Match[str]]  # ticks by their line numbers, from 0

SUFFIXES = (*BRACED, ".ns", ".py")
_MARK = re.compile(r"(?://|#|%)[ \t]*tick[ \t]*|\(\*[ \t]*tick[ \t]*\*\)")


def _tick(part: str) -> re.Pattern[str]:
    """The form of a tick, if `part` stands between the parts of a name. Elsewhere than in C++ and
    Rust, `->` and `::` do not belong to a name: in Kotlin, `a->n++` declares a parameter.
    """
    name = rf"[A-Za-z_]\w*(?:(?:{part})[A-Za-z_]\w*)*"
    added = r"(?:\+\+| \+= (?:1|(?P<length>[A-Za-z_]\w*)))"
    return re.compile(rf"\s*(?P<name>{name}){added}(?P<end>;?)\s+(?://|#) tick\s*")


_TICK = _tick(r"\.")
_CPP_TICK = _tick(r"\.|->|::")
_TICKS = {".cpp": _CPP_TICK, ".hpp": _CPP_TICK, ".h": _CPP_TICK, ".rs": _tick(r"\.|::")}
# Variables in Erlang never change, so the harness does the counting.
_TICKS[".erl"] = re.compile(r"\s*counts:add\((?P<name>[a-z]\w*)\),\s+% tick\s*")
_NEWSPEAK_TICK = re.compile(r"\s*(\w+) (\w+): \1 \2 \+ 1\. \(\* tick \*\)")
# The ends of code after which a Newspeak statement may begin: another statement, or the opening of
# a block or a method.
_NEWSPEAK_ENDS = re.compile(r"(?:\.|\[|\[\s*(?::\w+\s*)+\||^\s*\|[^|]*\||=\s*\()\s*$")
# Characters that end a line for some compilers, but not for editors and the lab.
_OTHER_ENDS = re.compile("[\r\v\f\0\x1c-\x1e\x85\u2028\u2029]")
_JAVA_ESCAPE = re.compile(r"\\u+00[0-7][0-9a-fA-F]")  # an ASCII character, decoded first by Java
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_LABEL = re.compile(r"^\s*(?:case\b(?:[^:?]|::)*|default\s*):\s*$")
# In Go, the end of a line ends a statement only after these tokens.
_GO_ENDS = re.compile(r"(?:[\w)\]}\"{;]|\+\+|--)\s*$")
# Beginnings of code that could continue an expression that ends in a brace. In Kotlin they include
# the end of a block, because the last expression of a block may be its value.
_JAVASCRIPT_GOES_ON = re.compile(r"\s*(?:[(\[\"`*/,.?=&|^<>%]|[+-](?![+-])|!=|in\b|instanceof\b)")
_GOES_ON = {
    ".js": _JAVASCRIPT_GOES_ON,
    ".mjs": _JAVASCRIPT_GOES_ON,
    ".kt": re.compile(r"\s*(?:[{}(\[.?:&|=-]|as\b)"),
}
_WITHOUT_SEMICOLON = (".go", ".kt")

USES = 2  # a declaration, and its only use
_UNUSED = (
    "a counting line (`tick`) may add a length only if other code also reads this length, but no "
    "other code reads {length}"
)
_NOT_BYTES = (
    "a counting line (`tick`) may add a length only to a counter whose name ends in `bytes`; all "
    "other counters count each operation by NAME++ or NAME += 1"
)
_STATEMENT = "a counting line (`tick`) must be a separate statement in a block with braces"


def blanked(text: str, name: str) -> str:
    """The source with each tick line replaced by an empty line.

    `name` is the file's name, for messages; its suffix gives the language. Raises TickRefused if a
    marked line is not a valid tick, or if removing it could change the meaning of other code.
    """
    if not _MARK.search(text):
        return text
    try:
        ticks = _READERS.get(PurePath(name).suffix, _in_braces)(text, name)
    except _Refusal as refusal:
        raise TickRefused(f"{name}, line {refusal.at + 1}: {refusal.why}") from None
    lines = text.split("\n")
    for at in ticks:
        lines[at] = ""
    return "\n".join(lines)


class _Refusal(Exception):
    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at
        self.why = why


def _in_braces(text: str, name: str) -> list[int]:
    suffix = PurePath(name).suffix
    bare = bare_code(text, suffix)
    ticks = [at for at, remark in bare.remarks.items() if _MARK.fullmatch(remark)]
    for at in sorted(bare.directives):
        if _MARK.search(text.split("\n")[at]):
            raise _Refusal(
                at,
                (
                    "this counting line (`tick`) is inside a preprocessor directive; move the line "
                    "out of the directive"
                ),
            )
    forms = _forms(text, ticks, _TICKS.get(suffix, _TICK))
    if forms and suffix == ".java" and (escape := _JAVA_ESCAPE.search(text)):
        raise _Refusal(
            text.count("\n", 0, escape.start()),
            "this Unicode escape stands for an ASCII character; write the character itself",
        )
    defined = set(_DEFINED.findall(text))
    for at, form in forms.items():
        problem = (
            _problem_in_erlang(at, bare, forms)
            if suffix == ".erl"
            else _problem(at, bare, forms, suffix)
        )
        if problem:
            raise _Refusal(at, problem)
        if macros := defined & set(re.findall(r"\w+", form.group())):
            raise _Refusal(
                at,
                "a counting line (`tick`) must not use a macro, but "
                f"{', '.join(sorted(macros))} is a macro",
            )
    _require_lengths(
        forms, "\n".join(line for at, line in enumerate(bare.lines) if at not in forms)
    )
    return ticks


def _forms(text: str, ticks: Iterable[int], tick: re.Pattern[str] = _TICK) -> Forms:
    """The marked lines. Each marked line must have the form of a tick."""
    lines = text.split("\n")
    forms = {}
    for at in ticks:
        form = tick.fullmatch(lines[at])
        if form is None:
            raise _Refusal(
                at,
                f"{lines[at].strip()!r} is not a valid counting line (`tick`); write NAME++, or "
                "NAME += 1, or NAME += LENGTH (if NAME counts bytes, and other code uses LENGTH "
                "too), or in Erlang counts:add(NAME),",
            )
        forms[at] = form
    if forms and (other := _OTHER_ENDS.search(text)):
        where = text.count("\n", 0, other.start())
        raise _Refusal(
            where,
            (
                f"some compilers treat the character {other.group()!r} as the end of a line; "
                "remove this character, and end each line with a line feed"
            ),
        )
    return forms


def _problem(at: int, bare: BareCode, forms: Forms, suffix: str) -> str:
    """The reason why the line is not a valid tick; empty if it is."""
    if suffix not in _WITHOUT_SEMICOLON and not forms[at]["end"]:
        return "a counting line (`tick`) must end with a semicolon"
    if at in bare.in_macro or bare.open[at] not in ("", "{"):
        return f"{_STATEMENT}, not inside other brackets or the arguments of a macro"
    before = _next_code(range(at - 1, -1, -1), bare, forms)
    if before in bare.directives:
        return (
            "a counting line (`tick`) must not follow a preprocessor directive, because the "
            "directive may change the next line; move the counting line before the directive"
        )
    code = "{" if before is None else bare.lines[before].strip()
    ends = code.endswith(("{", "}", ";")) or _LABEL.match(code)
    if not ends and not (suffix == ".go" and _GO_ENDS.search(code)):
        return f"{_STATEMENT}, but the statement in the previous line, {code!r}, is not complete"
    if suffix in _GOES_ON and (suffix == ".kt" or code.endswith("}")):
        return _continuation(at, bare, forms, _GOES_ON[suffix])
    return ""


def _problem_in_erlang(at: int, bare: BareCode, forms: Forms) -> str:
    """The reason why an Erlang line is not a valid tick; empty if it is. By its comma and the end
    of the code before it, the line must be an expression of a body, but not the last expression."""
    before = _next_code(range(at - 1, -1, -1), bare, forms)
    code = "" if before is None else bare.lines[before].strip()
    if bare.open[at] or not code.endswith(("->", ",")):
        return (
            "a counting line (`tick`) must be an expression of its own in a function's body, but "
            f"this line continues the code before it, {code!r}"
        )
    return ""


def _continuation(at: int, bare: BareCode, forms: Forms, goes_on: re.Pattern[str]) -> str:
    """The reason why the code after a tick would continue from a brace before it; empty if it would
    not."""
    after = _next_code(range(at + 1, len(bare.lines)), bare, forms)
    if after is None or not goes_on.match(bare.lines[after]):
        return ""
    return (
        "without this counting line (`tick`), which timed builds leave out, the compiler would "
        f"read {bare.lines[after].strip()!r} as part of the line before; move the counting line"
    )


def _next_code(lines: Iterable[int], bare: BareCode, forms: Forms) -> int | None:
    """The first of the lines that has code or a directive and is not a tick."""
    for at in lines:
        if at not in forms and (bare.lines[at].strip() or at in bare.directives):
            return at
    return None


def _require_lengths(forms: Forms, code: str) -> None:
    """Refuse the tick if what it adds is no length. A tick could add a number of operations that
    the program never did, such as a parameter. So only counters of bytes grow by a length. The
    length must also be used by other code, which does more than declare its name."""
    for at, form in forms.items():
        length = form.groupdict().get("length")
        if not length:
            continue
        if not form["name"].lower().endswith("bytes"):
            raise _Refusal(at, _NOT_BYTES)
        if len(re.findall(rf"(?<![\w.]){length}(?!\w)", code)) < USES:
            raise _Refusal(at, _UNUSED.format(length=length))


def _in_newspeak(text: str, _: str) -> list[int]:
    code = newspeak_code(text)
    lines = text.split("\n")
    ticks = [at for at, remark in code.remarks.items() if _MARK.fullmatch(remark)]
    for at in ticks:
        if not _NEWSPEAK_TICK.fullmatch(lines[at]):
            raise _Refusal(
                at,
                (
                    f"{lines[at]!r} is not a valid counting line (`tick`); write `counts NAME: "
                    "counts NAME + 1.`"
                ),
            )
        rest = [n for n, line in enumerate(code.lines) if n not in ticks and line.strip()]
        before = max((n for n in rest if n < at), default=None)
        after = min((n for n in rest if n > at), default=None)
        ended = before is not None and _NEWSPEAK_ENDS.search(code.lines[before])
        if code.open[at] not in ("[", BODY) or not ended:
            raise _Refusal(
                at,
                "a counting line (`tick`) must be a separate statement in a block or a method",
            )
        if after is None or code.lines[after].strip()[0] in ")]}":
            raise _Refusal(
                at,
                (
                    "a counting line (`tick`) must not be the last statement of a block, because "
                    "its value would become the block's value"
                ),
            )
    return ticks


def _in_python(text: str, _: str) -> list[int]:
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        at = getattr(error, "lineno", None) or 1
        raise _Refusal(at - 1, f"this is not valid Python: {error}") from None
    ticks = [
        token.start[0] - 1
        for token in tokens
        if token.type == tokenize.COMMENT and _MARK.fullmatch(token.string)
    ]
    forms = _forms(text, ticks)
    statements = {
        node.lineno - 1: node
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and node.lineno == node.end_lineno
    }
    for at in ticks:
        if at not in statements or "++" in forms[at].group():
            raise _Refusal(at, "a counting line (`tick`) must be a separate statement")
    counting = {id(statements[at]) for at in ticks}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module):
            for block in _blocks(node):
                if block and all(id(statement) in counting for statement in block):
                    raise _Refusal(
                        block[0].lineno - 1,
                        (
                            "this block contains only counting lines (`tick`), which timed builds "
                            "leave out, so the block would be empty; add another statement, or "
                            "remove the counting lines"
                        ),
                    )
    kept = (t for t in tokens if t.start[0] - 1 not in forms)
    hidden = (tokenize.COMMENT, tokenize.STRING)
    code = " ".join(t.string for t in kept if t.type not in hidden)
    _require_lengths(forms, code.replace(" . ", "."))
    return ticks


def _blocks(node: ast.AST) -> Iterable[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


_READERS = {".ns": _in_newspeak, ".py": _in_python}
