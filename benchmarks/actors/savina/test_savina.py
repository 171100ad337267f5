"""Every program against contract.md, from outside: its answer and its number of messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sin, sqrt
from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from runfair.errors import UserMistake
from transcription import fnv1a

SCALE = 1e9  # of the integral


def programs_of(form: str) -> list[tuple[str, str]]:
    """Languages and tiers. Go and Rust have only some forms."""
    return [(one.language, one.tier) for one in benchmarks()[f"savina-{form}"].programs]


PROGRAMS = programs_of("counting")
ALL = [
    (form, *program)
    for form in benchmarks()["savina-counting"].text.forms
    for program in programs_of(form)
    if form != "trapezoid"  # the integral has another test
]
# Compilers of the tiers' libraries take their time.
STANDARD = [
    pytest.param(*one, marks=[] if one[1] == "standard" else pytest.mark.long) for one in PROGRAMS
]


@dataclass(frozen=True)
class Work:
    actors: int
    amount: int
    seed: int

    @property
    def numbers(self) -> range:
        return range(self.actors)


def following(x: int, times: int = 1) -> int:
    for _ in range(times):
        x = (x * 1309 + 13849) % 65536
    return x


def ping_pong(work: Work) -> tuple[int, int]:
    return following(work.seed, work.amount), 2 * work.amount + 2


def counting(work: Work) -> tuple[int, int]:
    return work.amount, work.amount + 3


def fork_join_throughput(work: Work) -> tuple[int, int]:
    answer = sum(following(work.seed + i, work.amount) for i in work.numbers)
    return answer, work.actors * work.amount


def fork_join_creation(work: Work) -> tuple[int, int]:
    return sum(following(work.seed + i) for i in work.numbers), work.actors


def thread_ring(work: Work) -> tuple[int, int]:
    x = work.seed
    for hop in range(work.amount + 1):
        x = (following(x) + hop % work.actors) % 65536
    return x, work.amount + 2 * work.actors


def chameneos(work: Work) -> tuple[int, int]:
    return 2 * work.amount, 4 * work.amount + 4 * work.actors


def big(work: Work) -> tuple[int, int]:
    answer = 0
    for i in work.numbers:
        random = work.seed + i
        for _ in range(work.amount):
            random = following(random)
            answer += random % work.actors
    return answer, 2 * work.actors * work.amount + 3 * work.actors


def bounded_buffer(work: Work) -> tuple[int, int]:
    answer = 0
    for i in work.numbers:
        x = work.seed + i
        for _ in range(work.amount):
            x = following(x, 25)
            answer += following(x + 1, 25)
    return answer, 4 * work.actors * work.amount + 3 * work.actors + 1


def philosophers(work: Work) -> tuple[int, int]:
    meals = work.actors * work.amount
    answer = meals + sum(following(work.seed + i, work.amount) for i in work.numbers)
    return answer, 3 * meals + 2 * work.actors


def sleeping_barber(work: Work) -> tuple[int, int]:
    cuts = [following(work.seed, 100 * (n + 1)) for n in range(work.amount)]
    return sum(cuts) + cuts[-1], 6 * work.amount + 3


def cigarette_smokers(work: Work) -> tuple[int, int]:
    smokers = [work.seed + i for i in work.numbers]
    random = work.seed
    for _ in range(work.amount):
        random = following(random)
        one = random % work.actors
        smokers[one] = following(smokers[one] + random, 50)
    return sum(smokers), 2 * work.amount + work.actors + 1


def requests(work: Work) -> list[tuple[int, int]]:
    """Kinds and keys of all workers' requests."""
    found = []
    for i in work.numbers:
        random = work.seed + i
        for _ in range(work.amount):
            kind = following(random)
            random = following(kind)
            found.append((kind % 100, random))
    return found


def concurrent_dictionary(work: Work) -> tuple[int, int]:
    written = {key for kind, key in requests(work) if kind < 10}
    answer = sum(1 + following(key) for key in written)
    return answer, 2 * work.actors * work.amount + 2 * work.actors


def concurrent_sorted_list(work: Work) -> tuple[int, int]:
    answer = 0
    for value in sorted(key for kind, key in requests(work) if 1 <= kind < 11):
        answer = (answer * 1309 + value) % 2**24
    return answer, 2 * work.actors * work.amount + 2 * work.actors


def bank_transactions(work: Work) -> tuple[int, int]:
    balances = [100_000 for _ in work.numbers]
    random = work.seed
    for _ in range(work.amount):
        random = following(random)
        source = random % max(1, work.actors * 8 // 10)
        random = following(random)
        target = source + 1 + random % (work.actors - source - 1)
        random = following(random)
        balances[source] -= 1 + random % 1000
        balances[target] += 1 + random % 1000
    answer = sum((i + 1) * balance for i, balance in enumerate(balances))
    return answer, 4 * work.amount + work.actors + 1


EXPECTED: dict[str, Callable[[Work], tuple[int, int]]] = {
    "bank-transactions": bank_transactions,
    "big": big,
    "bounded-buffer": bounded_buffer,
    "chameneos": chameneos,
    "cigarette-smokers": cigarette_smokers,
    "concurrent-dictionary": concurrent_dictionary,
    "concurrent-sorted-list": concurrent_sorted_list,
    "counting": counting,
    "fork-join-creation": fork_join_creation,
    "fork-join-throughput": fork_join_throughput,
    "philosophers": philosophers,
    "ping-pong": ping_pong,
    "sleeping-barber": sleeping_barber,
    "thread-ring": thread_ring,
}


def given(work: Work) -> Given:
    return {"actors": work.actors, "amount": work.amount, "seed": work.seed, "threads": 2}


def test_recorded_answers_are_those_of_the_contract() -> None:
    """At the smallest size; the integral has another test."""
    for form, expected in EXPECTED.items():
        benchmark = benchmarks()[f"savina-{form}"]
        parameters = benchmark.parameters("tiny")
        answer, messages = expected(Work(int(parameters["actors"]), int(parameters["amount"]), 1))
        recorded = benchmark.answer("classic", "tiny", 1)
        assert recorded is not None
        assert recorded.digest == fnv1a(str(answer).encode())
        assert recorded.operations == {"messages": messages}


@pytest.mark.long
@pytest.mark.parametrize("work", [Work(5, 60, 2**16 - 1), Work(60, 30, 7)], ids=["few", "many"])
@pytest.mark.parametrize(("form", "language", "tier"), ALL)
def test_the_work_is_the_contracts(form: str, work: Work, language: str, tier: str) -> None:
    """Another number of actors, more than the bounded buffer holds, and another seed."""
    answer, messages = EXPECTED[form](work)
    counted = built(f"savina-{form}", language, tier).say(count=1, **given(work))
    assert counted.digest == fnv1a(str(answer).encode())
    assert counted.counters == {"messages": messages}


@pytest.mark.parametrize("form", ["bank-transactions", "chameneos", "thread-ring"])
def test_an_actor_that_needs_a_partner_is_not_alone(form: str) -> None:
    """Alone it would wait for ever, divide by zero, or send itself a message after its end."""
    with pytest.raises(UserMistake, match=r"actors of .* must be an integer from 2 to"):
        benchmarks()[f"savina-{form}"].parameters("tiny", {"actors": 1})


@pytest.mark.long
@pytest.mark.parametrize(("form", "language", "tier"), ALL)
def test_the_fewest_actors_do_the_work(form: str, language: str, tier: str) -> None:
    actors = benchmarks()[f"savina-{form}"].text.parameters["actors"]
    assert actors.least
    work = Work(actors.least_of.get(form, actors.least), 30, 7)
    answer, messages = EXPECTED[form](work)
    counted = built(f"savina-{form}", language, tier).say(count=1, **given(work))
    assert counted.digest == fnv1a(str(answer).encode())
    assert counted.counters == {"messages": messages}


@pytest.mark.parametrize(("language", "tier"), STANDARD)
def test_every_iteration_has_all_messages(language: str, tier: str) -> None:
    """Nothing of one iteration is left over in the next one."""
    work = Work(7, 50, 3)
    form = "big" if (language, tier) in programs_of("big") else "fork-join-throughput"
    answer, messages = EXPECTED[form](work)
    outcome = built(f"savina-{form}", language, tier).say(count=1, iterations=5, **given(work))
    assert {one["digest"] for one in outcome.of_event("iteration")} == {fnv1a(str(answer).encode())}
    counted = [one["counters"] for one in outcome.of_event("operations")]
    assert counted == 5 * [{"messages": messages}]


@pytest.mark.parametrize(("language", "tier"), STANDARD)
def test_the_threads_are_those_of_the_pool(language: str, tier: str) -> None:
    """The pools of Pekko and tokio have the size of the option. Those of Erlang, Go and Newspeak
    have a thread for each processor, whatever the option is."""
    start = built("savina-counting", language, tier).say(threads=7).start
    assert start["threads"] == (7 if tier in ("pekko", "tokio") else start["processors"])


@pytest.mark.parametrize(
    ("source", "asks", "finishes"),
    [
        ("erlang/sleeping-barber.erl", "Room ! next", "! {finished"),
        ("java-pekko/SleepingBarber.java", "reply(Plain.NEXT)", "new Finished("),
        ("newspeak/SleepingBarber.ns", "room <-: next", "<-: finished:"),
    ],
)
def test_the_room_hears_of_the_last_customer_before_it_stops(
    source: str, asks: str, finishes: str
) -> None:
    """The last `finished` leads to `stop`, which must not overtake `next`."""
    text = (benchmarks()["savina-counting"].folder / source).read_text(encoding="utf-8")
    assert 0 < text.index(asks) < text.index(finishes)


def test_the_clocks_are_read_before_pekko_starts(tmp_path: Path) -> None:
    """The JVM's log has the times at which classes were loaded, on the same clock."""
    program = built("savina-counting", "java", "pekko")
    log = tmp_path / "classes"
    java, *rest = program.timed.command
    command = [java, f"-Xlog:class+load:file={log}:timenanos", *rest]
    artefact = program.timed.model_copy(update={"command": command})
    outcome = program.run_with(*program.options(), artefact=artefact)
    assert outcome.status == 0, outcome.errors
    loaded = re.search(r"\[(\d+)ns\] org\.apache\.pekko\.actor\.ActorSystemImpl ", log.read_text())
    assert loaded is not None
    assert outcome.start["monotonic_ns"] < int(loaded[1])


def test_actors_of_pekko_share_no_memory() -> None:
    """Only the main actor gives its result to the thread that waits for it."""
    folder = benchmarks()["savina-counting"].folder / "java-pekko"
    sharing = {
        source.name
        for source in folder.glob("*.java")
        if re.search(r"java\.util\.concurrent|\bvolatile\b|\bsynchronized\b", source.read_text())
    }
    assert sharing == {"Main.java", "Savina.java"}


@pytest.mark.parametrize(("language", "tier"), STANDARD)
def test_a_missing_option_is_told_in_one_line(language: str, tier: str) -> None:
    program = built("savina-counting", language, tier)
    options = [one for one in program.options() if not one.startswith("amount=")]
    program.run_with(*options).check_refused(
        "option amount=VALUE is missing; ./runfair exec savina --print shows a whole command"
    )


def integrand(x: float) -> float:
    return 1 / (x + 1) * sqrt(1 + exp(sqrt(2 * x))) * sin(x**3 - 1)


def trapezoids(pieces: int) -> float:
    width = 4 / pieces
    return sum(
        0.5 * (integrand(x) + integrand(x + width)) * width
        for x in (1 + i * width for i in range(pieces))
    )


@pytest.mark.long
@pytest.mark.parametrize(("language", "tier"), programs_of("trapezoid"))
def test_the_integral_is_the_contracts(language: str, tier: str) -> None:
    """But for its last digit: functions of two libraries may differ in their last bits."""
    program = built("savina-trapezoid", language, tier)
    outcome = program.say(count=1, actors=1, amount=2000, seed=1, threads=2)
    assert outcome.counters == {"messages": 3}
    area = int(trapezoids(2000) * SCALE)
    assert outcome.digest in {fnv1a(str(one).encode()) for one in (area - 1, area, area + 1)}


def test_more_pieces_approach_the_integral() -> None:
    """Simpson's rule is far more exact; twice the pieces leave a quarter of the error."""
    pieces = 2000
    exact = (4 * trapezoids(2 * pieces) - trapezoids(pieces)) / 3
    coarse, fine = (abs(trapezoids(n) - exact) for n in (pieces, 2 * pieces))
    assert 3.9 < coarse / fine < 4.1
