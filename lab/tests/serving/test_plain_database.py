"""Databases that are no PostgreSQL: their URLs, what they tell, and what is wrong with them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from runfair.errors import UserMistake
from runfair.serving.database_address import PlainAddress, database_address
from runfair.serving.plain_database import PlainDatabase
from serving.little_redis import PASSWORD, LittleRedis, little_redis


@pytest.fixture
def redis() -> Iterator[LittleRedis]:
    with little_redis() as server:
        yield server


def address(server: LittleRedis, password: str | None = None) -> PlainAddress:
    return PlainAddress("redis", "127.0.0.1", server.port, password=password)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("redis://db", PlainAddress("redis", "db", 6379)),
        ("redis://db:7000/2", PlainAddress("redis", "db", 7000, "/2")),
        ("tcp://[::1]:9042", PlainAddress("tcp", "::1", 9042)),
    ],
)
def test_a_url_says_what_is_spoken_there(url: str, found: PlainAddress) -> None:
    assert database_address(url, {}) == found
    assert database_address(str(found), {}) == found


def test_a_password_is_taken_from_the_environment_and_shown_nowhere() -> None:
    found = database_address("redis://db/1", {"REDISCLI_AUTH": PASSWORD})
    assert found.password == PASSWORD
    assert found.url == "redis://:s3cret%3A%20%C3%A9@db:6379/1"
    assert "cret" not in f"{found} {found!r}"
    assert database_address("tcp://db:1", {"REDISCLI_AUTH": PASSWORD}).password is None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("tcp://db", "names no host or no port; write redis://HOST:PORT or tcp://HOST:PORT"),
        ("redis://:7000", "names no host or no port"),
        ("redis://db:seventy", "is malformed"),
        ("redis://me@db", "if the database is Redis, set the environment variable REDISCLI_AUTH"),
        (
            "redis://:hidden@db",
            "if the database is Redis, set the environment variable REDISCLI_AUTH",
        ),
        ("rediss://db", "cannot time encrypted queries; write redis://"),
        ("mysql://db/shop", "tcp://HOST:PORT for any other"),
    ],
)
def test_what_is_no_url_of_a_database_is_one_line(url: str, said: str) -> None:
    with pytest.raises(UserMistake) as caught:
        database_address(url, {})
    assert said in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_redis_tells_its_version_and_that_it_began_anew(redis: LittleRedis) -> None:
    database = PlainDatabase(address(redis))
    assert database.version == "Redis 7.0.15"
    assert database.alive()
    assert database.restarts() == 0
    redis.run = "second"
    assert database.restarts() == 1
    assert database.restarts() == 1


def test_one_that_knows_no_info_is_taken_as_it_is(redis: LittleRedis) -> None:
    redis.knows = False
    database = PlainDatabase(address(redis))
    assert (database.version, database.restarts()) == ("Redis unknown", 0)


def test_a_redis_that_wants_a_password(redis: LittleRedis) -> None:
    redis.password = PASSWORD
    assert PlainDatabase(address(redis, PASSWORD)).alive()
    for wrong in (None, "wrong-one"):
        with pytest.raises(UserMistake, match="set REDISCLI_AUTH to its password") as caught:
            PlainDatabase(address(redis, wrong))
        assert "wrong-one" not in str(caught.value)


def test_nobody_there_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        port = closing.getsockname()[1]
    for protocol in ("redis", "tcp"):
        with pytest.raises(UserMistake, match=f"127.0.0.1:{port} cannot be reached .*start the"):
            PlainDatabase(PlainAddress(protocol, "127.0.0.1", port))


@pytest.mark.parametrize(
    "says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"$9999999999\r\n", b"", b"x"]
)
def test_something_else_is_no_redis_but_may_be_plain_tcp(says: bytes) -> None:
    def answer() -> None:
        for _ in range(2):
            stream, _ = listener.accept()
            with stream:
                stream.recv(4096)  # what is unread as it closes would reset the connection
                stream.sendall(says)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        port = listener.getsockname()[1]
        with pytest.raises(
            UserMistake, match=r"is not a Redis server, .* write tcp:// instead of redis://"
        ):
            PlainDatabase(PlainAddress("redis", "127.0.0.1", port))
        plain = PlainDatabase(PlainAddress("tcp", "127.0.0.1", port))
        answering.join()
        assert (plain.version, plain.restarts()) == ("plain TCP", 0)
    assert not plain.alive()
