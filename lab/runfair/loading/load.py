"""A load for the load generator: one checked value, and its command line."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from runfair.errors import UserMistake
from runfair.loading.traffic import Expectation, Feed, HttpRequest, RedisOperations, TrafficFile
from runfair.machine.kernel_files import format_processors

_UNITS_NS = (
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
)


def length_text(length_ns: int) -> str:
    """The length in the largest unit that gives a whole number: 90 s become `90s`, not `1.5m`."""
    for unit, unit_ns in _UNITS_NS:
        if length_ns and length_ns % unit_ns == 0:
            return f"{length_ns // unit_ns}{unit}"
    return f"{length_ns}ns"


def rate_text(rate_per_s: float) -> str:
    """The rate with six decimals, which the generator keeps exactly."""
    return f"{rate_per_s:.6f}".rstrip("0").rstrip(".")


def _part(whole: int, number: int, count: int) -> int:
    """The part of a whole that number 1 to `count` gets, if all parts are as equal as possible."""
    return whole // count + (number <= whole % count)


Arrivals = Literal["constant", "poisson", "trace"]
Mode = Literal["economy", "default", "precise"]
Protocol = Literal["http", "http2", "grpc", "resp"]

NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Tls:
    """How a server's certificate is checked. `ca` is a PEM file of certificate authorities. If it
    is given, only these authorities are trusted, and not those of the system.
    """

    ca: Path | None = None
    insecure: bool = False
    server_name: str | None = None

    def __post_init__(self) -> None:
        if self.ca is not None and self.insecure:
            raise UserMistake(
                "a load cannot name certificate authorities and also trust any certificate; "
                "state only one of the two"
            )

    def arguments(self) -> list[str]:
        words = [] if self.ca is None else [f"--ca={os.fspath(self.ca)}"]
        if self.insecure:
            words.append("--insecure")
        if self.server_name is not None:
            words.append(f"--server-name={self.server_name}")
        return words


@dataclass(frozen=True)
class Load:
    """One load on one server, or on several (`other_urls`) that share it.

    The load is open unless `closed`. An open load's arrivals follow `rate` (a number per second, or
    stages: `1000:10s,2000..5000:30s`) and the arrival process, or the time stamps of the traffic
    file (`arrivals` "trace", replayed `speed` times as fast). The load lasts for `duration_ns` or
    for a number of `requests`. Stages with an end, and traces, need neither of these two values.
    Requests intended before `warmup_ns` are marked as warm-up.

    Each of the generator's threads is pinned to one of the `processors`, in turn. If there are no
    `processors`, threads are not pinned. If `keep_awake` is set, the exact pacing modes keep these
    processors awake between requests.

    If `protocol` is None, the URL determines the protocol: HTTP/1.1 or RESP. With HTTP/2 and gRPC,
    `streams` requests may share a connection. While all connections are busy, the generator opens
    further connections, up to `max_connections`. A connection is replaced after
    `new_connection_every` requests. `shard` is the share (K, N) of the schedule that the generator
    sends. `start_at_ns` is the instant at which the generator starts, on the CLOCK_MONOTONIC of its
    host. Raises UserMistake if the parts contradict one another.
    """

    url: str
    rate: float | str | None = None
    closed: bool = False
    duration_ns: int | None = None
    requests: int | None = None
    warmup_ns: int = 0
    arrivals: Arrivals = "constant"
    seed: int | None = None
    speed: float = 1.0
    connections: int = 50
    threads: int = 1
    pipeline: int = 1
    streams: int = 1
    max_connections: int | None = None
    new_connection_every: int | None = None
    mode: Mode = "default"
    processors: tuple[int, ...] = ()
    keep_awake: bool = False
    protocol: Protocol | None = None
    unix_socket: Path | None = None
    tls: Tls | None = None
    traffic: HttpRequest | RedisOperations | TrafficFile | None = None
    feed: Feed | None = None
    expectation: Expectation | None = None
    timeout_ns: int = 10 * NS_PER_S
    connect_timeout_ns: int = 5 * NS_PER_S
    interval_ns: int = NS_PER_S // 10
    other_urls: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    start_at_ns: int | None = None

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_schedule()
        self._check_protocol()

    def _check_numbers(self) -> None:
        for name in ("connections", "threads", "pipeline", "streams", "timeout_ns", "interval_ns"):
            if getattr(self, name) < 1:
                raise UserMistake(f"{name} of a load must be at least 1, not {getattr(self, name)}")
        for name in ("duration_ns", "requests", "max_connections", "new_connection_every"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UserMistake(f"{name} of a load must be at least 1, not {number}")
        if self.max_connections is not None and self.max_connections < self.connections:
            raise UserMistake(
                "`max_connections` of a load must be at least its `connections` "
                f"({self.connections}), not {self.max_connections}"
            )
        if self.threads > self.connections:
            raise UserMistake(
                f"the load needs at least {self.threads} connections, one for each thread, but it "
                f"has {self.connections}; use more connections or fewer threads"
            )
        if len(self.other_urls) >= self.connections:
            raise UserMistake(
                f"the load needs at least {1 + len(self.other_urls)} connections, one for each "
                f"server, but it has {self.connections}; use more connections"
            )
        if self.processors and len(set(self.processors)) < self.threads:
            raise UserMistake(
                f"the load has {self.threads} threads and needs a processor for each of them, "
                f"but names only {len(set(self.processors))} processors; name more processors "
                "or use fewer threads"
            )
        if self.keep_awake and not self.processors:
            raise UserMistake(
                "the load generator cannot keep its processors awake, because it was not told "
                "which processors it has; name the processors of the load generator"
            )
        if not 0 < self.speed < math.inf:
            raise UserMistake(f"the speed of a trace must be above 0, not {self.speed:g}")
        if self.warmup_ns < 0:
            raise UserMistake("a warm-up cannot have a negative length")
        if self.duration_ns is not None and self.warmup_ns >= self.duration_ns:
            raise UserMistake(
                "the warm-up is as long as the whole load, so nothing is left to measure; make "
                "the load longer or the warm-up shorter"
            )

    def _check_schedule(self) -> None:
        if self.duration_ns is not None and self.requests is not None:
            raise UserMistake(
                "a load ends after a duration or after a number of requests; state only one of "
                "the two"
            )
        if self.arrivals != "trace" and self.speed != 1.0:
            raise UserMistake(
                "only a trace (recorded times) can have a speed; leave the speed out, and "
                "change the rate instead"
            )
        if self.closed:
            self._check_closed()
        elif self.arrivals == "trace":
            self._check_trace()
        else:
            self._check_rate()

    def shares(self, count: int) -> list[Load]:
        """The shares of `count` generators that send this load together. Each has its own part of
        the connections. Raises UserMistake if there are too few connections."""
        servers = 1 + len(self.other_urls)
        if self.connections < count * servers:
            raise UserMistake(
                f"the load needs at least {count * servers} connections, {servers} for each load "
                f"generator, but it has {self.connections}; use more connections"
            )
        most = self.max_connections
        return [
            replace(
                self,
                shard=(number, count),
                connections=_part(self.connections, number, count),
                max_connections=None if most is None else _part(most, number, count),
            )
            for number in range(1, count + 1)
        ]

    def _check_closed(self) -> None:
        if self.shard is not None:
            raise UserMistake(
                "several load generators cannot share a closed loop, because a closed loop has no "
                "schedule; use a single load generator"
            )
        if self.rate is not None:
            raise UserMistake("a closed loop has no rate; leave out the rate or the closed loop")
        if self.arrivals != "constant":
            raise UserMistake(
                f"a closed loop cannot have {self.arrivals} arrivals; leave out the closed loop "
                "or the arrivals"
            )
        if self.duration_ns is None and self.requests is None:
            raise UserMistake(
                "a closed loop does not end by itself; state a duration or a number of requests"
            )

    def _check_trace(self) -> None:
        if self.rate is not None:
            raise UserMistake(
                "the time stamps of a trace already determine its rate; leave out the rate, or "
                "choose other arrivals"
            )
        if not isinstance(self.traffic, TrafficFile):
            raise UserMistake(
                "a trace takes its arrivals from time stamps; use a traffic file with time stamps"
            )
        if self.traffic.order != "file":
            raise UserMistake(
                "a trace sends its requests in the recorded order; leave out the order "
                f"{self.traffic.order}"
            )

    def _check_rate(self) -> None:
        if self.rate is None:
            raise UserMistake("an open loop needs a rate; state a rate, or ask for a closed loop")
        if isinstance(self.rate, str):
            return  # the generator reads the stages itself and reports what is wrong and where
        if not 0 < self.rate < math.inf:
            raise UserMistake(
                f"a load cannot have a rate of {self.rate:g} requests per second; state a finite "
                "rate above 0"
            )
        if self.duration_ns is None and self.requests is None:
            raise UserMistake("this load would never end; state a duration or a number of requests")

    def _check_protocol(self) -> None:
        if self.speaks_resp:
            if isinstance(self.traffic, HttpRequest):
                raise UserMistake(
                    "the protocol of Redis (RESP) cannot carry HTTP requests; state Redis "
                    "operations"
                )
            if self.expectation is not None:
                raise UserMistake(
                    "every answer of Redis is compared with the value of its key, so leave "
                    "the expected answers out"
                )
            if self.feed is not None:
                raise UserMistake(
                    "Redis operations do not use the values of a feed; leave the feed out"
                )
        elif isinstance(self.traffic, RedisOperations):
            raise UserMistake(
                f"Redis operations cannot be sent over HTTP to {self.url}; write redis:// in the "
                "URL, or set the protocol `resp`"
            )
        self._check_streams()
        if self.tls is not None and not self.url.startswith("https://"):
            raise UserMistake(
                f"the TLS options have no effect for {self.url}, which is a URL without TLS; "
                "write https:// in the URL, or leave the TLS options out"
            )

    def _check_streams(self) -> None:
        if self.protocol == "grpc" and not isinstance(self.traffic, TrafficFile):
            raise UserMistake(
                "the load generator reads gRPC calls from a traffic file; state a traffic file "
                "whose paths are the methods of the service"
            )
        if self.protocol not in ("http2", "grpc"):
            if self.streams > 1:
                raise UserMistake("only HTTP/2 and gRPC have streams; leave the streams out")
        elif self.pipeline > 1:
            raise UserMistake(
                "HTTP/2 has no pipelining; leave `pipeline` out, and state a number of "
                "`streams` instead"
            )

    @property
    def speaks_resp(self) -> bool:
        if self.protocol is None:
            return self.url.startswith("redis://")
        return self.protocol == "resp"

    def arguments(self) -> list[str]:
        """The generator's arguments, without the paths of its files. Each value is attached to its
        option (`--option=value`), so that a value that begins with a dash is not read as an option.
        """
        words = ["--closed"] if self.closed else self._pace()
        if self.duration_ns is not None:
            words.append(f"--duration={length_text(self.duration_ns)}")
        if self.requests is not None:
            words.append(f"--requests={self.requests}")
        if self.warmup_ns:
            words.append(f"--warmup={length_text(self.warmup_ns)}")
        if self.seed is not None:
            words.append(f"--seed={self.seed}")
        if self.shard is not None:
            words.append("--shard={}/{}".format(*self.shard))
        if self.start_at_ns is not None:
            words.append(f"--start-at={self.start_at_ns}")
        words += [
            *self._pool(),
            f"--threads={self.threads}",
            f"--pipeline={self.pipeline}",
            f"--timeout={length_text(self.timeout_ns)}",
            f"--connect-timeout={length_text(self.connect_timeout_ns)}",
            f"--interval={length_text(self.interval_ns)}",
        ]
        if self.processors:
            words.append(f"--cpus={format_processors(self.processors)}")
        if self.keep_awake:
            words.append("--keep-awake")
        if self.protocol is not None:
            http2 = self.protocol == "http2"
            words.append("--http2" if http2 else f"--protocol={self.protocol}")
        if self.unix_socket is not None:
            words.append(f"--unix-socket={os.fspath(self.unix_socket)}")
        for part in (self.tls, self.traffic, self.feed, self.expectation):
            words += [] if part is None else part.arguments()
        if isinstance(self.traffic, TrafficFile) and self.arrivals != "trace":
            words.append(f"--order={self.traffic.order}")
        return [*words, "--", self.url, *self.other_urls]

    def _pool(self) -> list[str]:
        words = [f"--connections={self.connections}"]
        if self.max_connections is not None:
            words.append(f"--max-connections={self.max_connections}")
        if self.new_connection_every is not None:
            words.append(f"--new-connection-every={self.new_connection_every}")
        if self.protocol in ("http2", "grpc"):
            words.append(f"--streams={self.streams}")
        return words

    def _pace(self) -> list[str]:
        words = [f"--mode={self.mode}", f"--arrivals={self.arrivals}"]
        if self.rate is not None:
            text = self.rate if isinstance(self.rate, str) else rate_text(self.rate)
            words.append(f"--rate={text}")
        if self.speed != 1.0:
            words.append(f"--speed={self.speed:.9g}")
        return words
