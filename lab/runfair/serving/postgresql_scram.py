"""The client's half of SCRAM-SHA-256 (RFC 5802, RFC 7677), as PostgreSQL has it: the user's name
is left to the startup message, and there is no channel binding."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import stringprep
import unicodedata

MECHANISM = "SCRAM-SHA-256"

_NO_BINDING = "n,,"
_NONCE_BYTES = 18
_PROHIBITED = (
    stringprep.in_table_a1,
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


class ScramBroken(Exception):
    """The server's half is not as it must be: no server that knows the password."""


class ScramClient:
    """first() is sent, final(the answer) is sent, and verify(the answer to that) must pass."""

    def __init__(self, password: str, nonce: str | None = None) -> None:
        self._password = prepared(password)
        self._nonce = nonce or base64.b64encode(secrets.token_bytes(_NONCE_BYTES)).decode()
        self._first = f"n=,r={self._nonce}"
        self._server_signature = b""

    def first(self) -> bytes:
        return f"{_NO_BINDING}{self._first}".encode()

    def final(self, challenge: bytes) -> bytes:
        """The proof; ScramBroken for a challenge that is none, or not the answer to ours."""
        told = _attributes(challenge)
        try:
            salt = base64.b64decode(told["s"], validate=True)
            rounds = int(told["i"])
            nonce = told["r"]
        except (KeyError, ValueError, binascii.Error):
            raise ScramBroken("the server's challenge is malformed") from None
        if not nonce.startswith(self._nonce) or rounds < 1:
            raise ScramBroken("the server's challenge is not for this client")
        salted = hashlib.pbkdf2_hmac("sha256", self._password, salt, rounds)
        client_key = _hmac(salted, b"Client Key")
        unproven = f"c={base64.b64encode(_NO_BINDING.encode()).decode()},r={nonce}"
        signed = b",".join((self._first.encode(), challenge, unproven.encode()))
        signature = _hmac(hashlib.sha256(client_key).digest(), signed)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self._server_signature = _hmac(_hmac(salted, b"Server Key"), signed)
        return f"{unproven},p={base64.b64encode(proof).decode()}".encode()

    def verify(self, outcome: bytes) -> None:
        """ScramBroken unless the server has shown that it knows the password too."""
        expected = base64.b64encode(self._server_signature).decode()
        if not hmac.compare_digest(_attributes(outcome).get("v", ""), expected):
            raise ScramBroken("the server could not show that it knows the password")


def prepared(password: str) -> bytes:
    """SASLprep (RFC 4013), but for its rule on right-to-left text. As PostgreSQL does, a password
    with prohibited characters is taken as it stands."""
    mapped = "".join(
        " " if stringprep.in_table_c12(letter) else letter
        for letter in password
        if not stringprep.in_table_b1(letter)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    raw = password.isascii() or any(is_in(letter) for letter in normal for is_in in _PROHIBITED)
    return (password if raw else normal).encode()


def _attributes(message: bytes) -> dict[str, str]:
    parts = message.decode(errors="replace").split(",")
    return {name: value for name, _, value in (part.partition("=") for part in parts)}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
