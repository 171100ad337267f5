"""Tokens, numbers and placeholders."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

TOKEN = re.compile(rb"[A-Za-z0-9+\-./_\\\x80-\xff\x11\x12]+")
SURELY_VARIABLE = re.compile(rb"[0-9\x11\x12]")
DIGIT = re.compile(rb"[0-9]")
LETTER = re.compile(rb"[A-Za-z]")
NUMBER = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?")
PLACEHOLDER = re.compile(rb"[\x11\x12]")
MOST_DIGITS = 13
NUMBER_KIND, REFERENCE_KIND = 0x12, 0x11


def is_variable(line: bytes, start: int, token: bytes) -> bool:
    if SURELY_VARIABLE.search(token):
        return True
    return start > 0 and line[start - 1 : start] == b"=" and LETTER.search(token) is not None


def number_code(token: bytes) -> "Optional[int]":
    number = NUMBER.fullmatch(token)
    if number is None:
        return None
    sign, whole, fraction = number.groups(b"")
    digits = whole + fraction
    if len(digits) > MOST_DIGITS:
        return None
    return (int(digits) * 16 + len(digits)) * 32 + len(fraction) * 2 + len(sign)


def number_text(code: int) -> bytes:
    count, scale, negative = code // 32 % 16, code // 2 % 16, code % 2
    digits = b"%0*d" % (count, code // 512)
    if scale > 0:
        digits = digits[: count - scale] + b"." + digits[count - scale :]
    return b"-" + digits if negative else digits
