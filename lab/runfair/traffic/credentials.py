"""Removes or replaces secrets in a capture. Secrets are recognised by the names of their parameters
and headers.

A replacement has the length of the secret, and the same secret always gets the same replacement, so
that sizes and the popularity of keys are preserved. The replacement is a keyed digest. The key is
discarded after the conversion, so nobody can test guesses of secrets against the replacements.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from functools import lru_cache

FORM = "application/x-www-form-urlencoded"

_HEADERS = {"cookie", "cookie2", "setcookie", "authorization", "proxyauthorization"}
# Parts of the names of headers and parameters, without - and _.
_PARTS = (
    *("token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey"),
    *("subscriptionkey", "credential", "signature", "session", "jwt", "bearer", "auth"),
)
_WHOLE = {"key", "pwd", "pass", "sig", "sid", "otp", "pin", "cvv", "cvc"}
# Headers whose names end in `key`, but whose values open nothing. Other such headers, for example
# Azure's `x-functions-key`, are secrets.
_OPEN_KEYS = {"idempotencykey", "secwebsocketkey", "surrogatekey", "cachekey"}
# authors, and the token limits of language models
_HARMLESS = re.compile(r"author(?!i[sz])|tokens$")
# A number is replaced only if its parameter has one of these names. A number with another name (for
# example `authLevel`) is rarely secret, and replacing it would change the request.
_SECRET_NUMBERS = {"pin", "otp", "cvv", "cvc", "pass", "pwd", "password", "passcode"}

_PARAMETER = re.compile(r"(?<![^?&;])([^=&;?#]*)=([^&;#]+)")
_JSON_TEXT = re.compile(r'"((?:[^"\\]|\\.){1,128})"(\s*:\s*)"([^"\\]*(?:\\.[^"\\]*)*)"')
_JSON_NUMBER = re.compile(r'"((?:[^"\\]|\\.){1,128})"(\s*:\s*)(-?[0-9]+)')


@lru_cache(maxsize=4096)
def is_secret_header(name: str) -> bool:
    bare = _bare(name)
    a_key = bare.endswith("key") and bare not in _OPEN_KEYS
    return bare in _HEADERS or a_key or is_secret(name)


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a parameter with this name contains a secret."""
    bare = _bare(name)
    bare = _HARMLESS.sub("", bare)
    return bare in _WHOLE or any(part in bare for part in _PARTS)


@dataclass
class Credentials:
    """Replaces values whose names mark them as secret. `replaced` counts the replaced values by
    name."""

    replaced: dict[str, int] = field(default_factory=dict)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def in_address(self, address: str) -> str:
        """Replaces secret parameters in the query of a path or an address."""
        before, mark, query = address.partition("?")
        return address if not mark else before + mark + self._in_parameters(query)

    def in_body(self, body: bytes, content_type: str) -> bytes:
        """Replaces secret fields of a form and members of a JSON text. Other bodies stay as they
        are.
        """
        kind = content_type.partition(";")[0].strip().lower()
        json = kind == "application/json" or kind.endswith("+json")
        if not json and kind != FORM:
            return body
        text = body.decode("utf-8", "surrogateescape")
        if json:
            text = _JSON_TEXT.sub(self._in_text, text)
            text = _JSON_NUMBER.sub(self._in_number, text)
        else:
            text = self._in_parameters(text)
        return text.encode("utf-8", "surrogateescape")

    def _in_parameters(self, text: str) -> str:
        return _PARAMETER.sub(self._in_parameter, text)

    def _in_parameter(self, found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"{name}={self._pseudonym(name, value)}" if is_secret(name) else found[0]

    def _in_text(self, found: re.Match[str]) -> str:
        name, colon, value = found.groups()
        if not is_secret(name):
            return found[0]
        return f'"{name}"{colon}"{self._pseudonym(name, value)}"'

    def _in_number(self, found: re.Match[str]) -> str:
        name, colon, value = found.groups()
        if _bare(name) not in _SECRET_NUMBERS:
            return found[0]
        # The replacement has no leading zero, so that the text stays valid JSON.
        return f'"{name}"{colon}{self._pseudonym(name, value, digits=True)}'

    def _pseudonym(self, name: str, value: str, *, digits: bool = False) -> str:
        """A replacement with as many bytes as the value."""
        self.replaced[name] = self.replaced.get(name, 0) + 1
        content = value.encode("utf-8", "surrogateescape")
        digest = hmac.new(self._key, content, hashlib.sha256).hexdigest()
        if digits:
            digest = "1" + str(int(digest, 16))
        return (digest * (len(content) // len(digest) + 1))[: len(content)]


def _bare(name: str) -> str:
    return re.sub(r"[-_.\[\]]|%5[bBdD]", "", name).lower()
