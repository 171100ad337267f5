"""What a file may say of services, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from runfair.catalogue.experiment import Serve
from runfair.catalogue.own_service import OwnService, check_names

PLAIN: dict[str, Any] = {"services": ["fastify"], "rate": 500}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"rate": 0}, "rate"),
        ({"rate": -1}, "rate"),
        ({"rate": float("inf")}, "rate"),
        ({"rate": float("nan")}, "rate"),
        ({"services": []}, "services"),
        ({"curve": [100, 0]}, "curve"),
        ({"connections": 0}, "connections"),
        ({"protocol": "http3"}, "protocol"),
        ({"streams": 0, "protocol": "http2"}, "streams"),
        ({"new_connection_every": 0}, "new_connection_every"),
        ({"feed": "rows.txt", "traffic": "t.jsonl"}, "feed"),
        ({"check_share": 0}, "check_share"),
        ({"check_share": 1.1}, "check_share"),
        ({"threads": []}, "threads"),
        ({"threads": [0]}, "threads"),
        ({"cpu_quota": [float("inf")]}, "cpu_quota"),
        ({"memory_limit": ["0 B"]}, "memory_limit"),
        ({"arrivals": "bursts"}, "arrivals"),
        ({"timeout": "soon"}, "timeout"),
        ({"seed": -1}, "seed"),
        ({"objective": "fast"}, "objective"),
        ({"require": ["p99 < 1 ms", "fast"]}, "require"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_what_cannot_be_asked_of_a_service(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Serve.model_validate({**PLAIN, **changes})
    assert {str(one["loc"][0]) for one in refused.value.errors()} == {key}


def test_arrivals_are_random_and_bodies_compared_unless_it_is_said() -> None:
    serve = Serve.model_validate(PLAIN)
    assert (serve.arrivals, serve.traffic_order, serve.check_share) == ("poisson", "random", 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({}, "a service needs exactly one of `command`"),
        (
            {"command": ["x"], "url": "http://h"},
            ("a service needs exactly one of `command`"),
        ),
        ({"url": "h:80"}, "does not begin with http"),
        ({"command": ["x"], "ready": "health"}, "should match pattern"),
        ({"command": ["x"], "ready_status": 99}, "greater than or equal to 100"),
        ({"command": ["x"], "port": 0}, "greater than or equal to 1"),
        ({"command": ["x"], "port": 65536}, "less than or equal to 65535"),
        ({"command": ["x"], "stop": "SIGSTOP"}, "Input should be"),
        ({"command": ["x"], "ready_within": "soon"}, "not a length of time"),
    ],
)
def test_what_is_no_service_of_ones_own(text: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        OwnService.model_validate(text)


def test_either_way_is_enough() -> None:
    assert OwnService(command=["./server", "{port}"]).stop == "SIGTERM"
    assert OwnService(url="https://shop.example/").command == []


@pytest.mark.parametrize("name", ["mine", "my-service.2", "a+b_c", "9"])
def test_names_that_may_be_parts_of_files(name: str) -> None:
    services = {name: OwnService(url="http://h")}
    assert check_names(services) == services


@pytest.mark.parametrize("name", ["", ".", "../x", "a/b", "-x", "a b", "ä", "x\n"])
def test_names_that_lead_elsewhere(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid name"):
        check_names({name: OwnService(url="http://h")})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"curve": [200, 200]}, "contains a rate twice"),
        ({"curve": [500]}, "or contains the rate of the operating point"),
        ({"capacity": True}, "state the `objective`"),
        ({"arrivals": "trace"}, "needs a `traffic` file"),
        (
            {"arrivals": "trace", "traffic": "t.jsonl", "curve": [200]},
            "the recorded times of the traffic file determine the rate",
        ),
        ({"database": "postgresql://u:secret@db/shop"}, "PGPASSWORD"),
        ({"database": "redis://:secret@db"}, "REDISCLI_AUTH"),
        ({"streams": 2}, "because an HTTP/1.1 connection answers one request after another"),
        ({"max_connections": 49}, "`max_connections` is 49, but the pool already starts with 50"),
        ({"feed": "rows.csv"}, "the requests of a benchmark take no values"),
        ({"feed_order": "file"}, "but this load has no `feed`; leave `feed_order` out"),
        (
            {
                "feed": "rows.csv",
                "traffic": "t.jsonl",
                "feed_order": "file",
                "capacity": True,
                "objective": "p99 < 1 s",
            },
            "a search for the capacity sends an unknown number",
        ),
    ],
)
def test_what_contradicts_itself_is_told_before_anything_is_built(
    changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError, match=said) as caught:
        Serve.model_validate({**PLAIN, **changes})
    assert "secret" not in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    "url",
    [
        "http://h/api",
        "http://h?x=1",
        "http://user@h",
        "http://h:99999",
        "ftp://h",
        "http://",
    ],
)
def test_a_url_is_a_host_and_a_port(url: str) -> None:
    with pytest.raises(ValidationError, match="the URL "):
        OwnService(url=url)


@pytest.mark.parametrize("url", ["http://h", "http://h:8000/", "https://[::1]:8443"])
def test_a_url_may_end_with_a_slash(url: str) -> None:
    assert OwnService(url=url).url == url
