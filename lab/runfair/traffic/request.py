"""One request as a capture contains it: its instant, in nanoseconds since the epoch, and the target
of its request line or address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from functools import lru_cache

NS_PER_S = 1_000_000_000
# The generator's time stamps have 63 bits of nanoseconds, whatever their origin.
LATEST_NS = 2**63 - 1

_ISO = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]{1,9})[0-9]*)?\s*(Z|z|[+-][0-9]{2}:?[0-9]{2})?",
    re.ASCII,
)
_LOG = re.compile(
    r"([0-9]{1,2})/([A-Z][a-z]{2})/([0-9]{4}):([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]{1,9}))?(?: ([+-][0-9]{4}))?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def plausible(at_ns: int) -> int | None:
    return at_ns if 0 <= at_ns <= LATEST_NS else None


@lru_cache(maxsize=4096)
def iso_ns(text: str) -> int | None:
    """The instant of `2026-11-21T18:30:12.123456789+01:00` (RFC 3339). If the text has no time
    zone, UTC is assumed.
    """
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    return _ns((year, month, day, hour, minute, second), fraction, zone)


@lru_cache(maxsize=4096)
def log_ns(text: str) -> int | None:
    """The instant of `21/Nov/2026:18:30:12 +0100`, as access logs write it."""
    found = _LOG.fullmatch(text)
    if found is None:
        return None
    day, name, year, hour, minute, second, fraction, zone = found.groups()
    if name not in _MONTHS:
        return None
    month = str(_MONTHS.index(name) + 1)
    return _ns((year, month, day, hour, minute, second), fraction, zone)


def number_of(value: object) -> Decimal | None:
    """A finite number, which may also be written as text. True and False are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        # The number is converted through its shortest text, because the exact binary value of
        # 1646861401.524, for example, is another number.
        number = Decimal(str(value).strip())
    except (InvalidOperation, ValueError):
        return None
    # A larger number cannot be a size, time or duration, and converting a huge power of ten could
    # use all memory.
    return number if number.is_finite() and number.adjusted() < 30 else None


def epoch_ns(value: object) -> int | None:
    """The instant of a number since the epoch. The magnitude of the number shows whether it counts
    seconds, milliseconds, microseconds or nanoseconds: from 1973 on, a number that is a plausible
    instant in one unit is implausible in the next.
    """
    number = number_of(value)
    if number is None:
        return None
    for unit_ns, most in ((NS_PER_S, 10**11), (10**6, 10**14), (10**3, 10**17)):
        if number < most:
            return plausible(int(number * unit_ns))
    return plausible(int(number))


def any_ns(value: object) -> int | None:
    """The instant of a number since the epoch, or of a text in either notation."""
    if isinstance(value, str):
        told = iso_ns(value) if len(value) < 64 else None
        if told is None and len(value) < 64:
            told = log_ns(value)
        if told is not None:
            return told
    return epoch_ns(value)


def span_ns(value: object, unit_ns: int) -> int | None:
    """The duration in nanoseconds; None if it is missing or negative."""
    number = number_of(value)
    return None if number is None or number < 0 else plausible(int(number * unit_ns))


def _ns(date: tuple[str, ...], fraction: str | None, zone: str | None) -> int | None:
    year, month, day, hour, minute, second = map(int, date)
    try:
        # A leap second is written as :60, which datetime rejects.
        moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=_zone(zone))
        elapsed = moment - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    seconds = elapsed.days * 86400 + elapsed.seconds + max(0, second - 59)
    return plausible(seconds * NS_PER_S + int((fraction or "0").ljust(9, "0")))


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    host: str | None


def target_of(text: str) -> Target | None:
    """The target of a request line (RFC 9112, section 3.2) or of an address.

    None if the target is not sent to an origin server by HTTP: `*`, `host:port`, data: and other
    schemes. The user name, password and fragment of an address are left out.
    """
    text = text.split("#", 1)[0]
    if text.startswith("/"):
        return Target(text, None)
    found = _ABSOLUTE.fullmatch(text)
    if found is None:
        return None
    authority, rest = found[2].rpartition("@")[2], found[3]
    if not authority:
        return None
    return Target(rest if rest.startswith("/") else f"/{rest}", authority)


Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """A captured request.

    `path` is the origin form with its query. `headers` are in the capture's order, with a `Host` if
    the capture names one. Bytes that are not UTF-8 are kept as lone surrogates (PEP 383). A value
    is None if the capture does not contain it; a `body` of b"" is known to be empty. `at_ns` is the
    beginning of the request, in nanoseconds since the epoch. `answer_bytes` is the size of the
    answer's body.
    """

    at_ns: int | None
    method: str
    path: str
    headers: Headers = ()
    body: bytes | None = b""
    status: int | None = None
    answer_bytes: int | None = None
    duration_ns: int | None = None

    @property
    def host(self) -> str | None:
        return next((value for name, value in self.headers if name.lower() == "host"), None)

    @property
    def size_bytes(self) -> int | None:
        """The size of path and body. Headers are excluded, because a conversion drops some of them
        on purpose.
        """
        return None if self.body is None else len(self.path) + len(self.body)
