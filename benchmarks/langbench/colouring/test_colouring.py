"""Tests every program against contract.md, from outside: its colours, its counts, its messages."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from built_program import BuiltProgram, built
from langbench.colouring import generate
from langbench.colouring.python import colouring as program_in_python
from langbench.colouring.python.graph import Graph as GraphInPython
from langbench.colouring.transcription import Graph, Transcription, graph_of
from runfair.catalogue.benchmark import benchmarks
from transcription import fnv1a

GREATEST_ID = 2**32 - 1
FORMS = ("iterative", "recursive")

Edges = list[tuple[int, int]]


# ---------------------------------------------------------------- the algorithm itself


def check_proper(graph: Graph, colours: dict[int, int], end: int) -> None:
    assert sorted(colours) == graph.vertices
    assert set(colours.values()) == set(range(end))
    for u in graph.vertices:
        assert all(colours[w] != colours[u] for w in graph.neighbours[u])


def complete(n: int) -> Edges:
    return [(u, v) for u in range(n) for v in range(u)]


def cycle(n: int) -> Edges:
    return [(u, (u + 1) % n) for u in range(n)]


def drawn(n: int, share: float, seed: int, parts: int = 0) -> Edges:
    """A random graph: each pair is an edge by chance. If there are parts, pairs inside a part are
    not edges."""
    chance = random.Random(seed)
    pairs = (pair for pair in complete(n) if not parts or pair[0] % parts != pair[1] % parts)
    return [pair for pair in pairs if chance.random() < share]


@given(
    edges=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=250),
    order=st.integers(0, 2**32),
)
@settings(max_examples=100, deadline=None)
def test_colourings_are_proper_and_no_order_matters(edges: Edges, order: int) -> None:
    edges = [(u, v) for u, v in edges if u != v] or [(0, 1)]
    graph = graph_of(edges)
    recursive, iterative = Transcription("recursive"), Transcription("iterative", order)
    end = recursive.colour(graph)
    check_proper(graph, recursive.colours, end)
    assert iterative.colour(graph) == end
    assert iterative.colours == recursive.colours
    assert iterative.counters() == recursive.counters()
    k = recursive.attempts + 1
    if k > 2:
        assert end <= 2 * k * math.ceil(len(graph.vertices) ** (1 - 1 / (k - 1)))


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_k_suffices_where_that_many_parts_were_planted(parts: int) -> None:
    graph = graph_of(drawn(60, 0.4, seed=parts, parts=parts))
    transcription = Transcription("recursive")
    end = transcription.colour(graph)
    check_proper(graph, transcription.colours, end)
    assert transcription.attempts + 1 <= parts


@pytest.mark.parametrize(
    ("edges", "k", "colours", "subgraphs"),
    [
        ([(0, 1)], 2, 2, 0),
        (cycle(8), 2, 2, 0),
        # k = 3: no degree of an odd cycle of nine is √9 wide.
        (cycle(9), 3, 3, 0),
        # k = 3: the neighbourhood of a vertex is a triangle, and odd. k = 4: it is again, and the
        # neighbourhood in it is an edge.
        (complete(4), 4, 4, 3),
    ],
    ids=["edge", "even", "odd", "complete"],
)
def test_by_hand(edges: Edges, k: int, colours: int, subgraphs: int) -> None:
    transcription = Transcription("recursive")
    assert transcription.colour(graph_of(edges)) == colours
    assert transcription.attempts == k - 1
    assert transcription.subgraphs == subgraphs


def test_layered_goes_all_the_way_down() -> None:
    graph = graph_of(generate.edge_list("layered", seed=3, vertices=500))
    depths = []

    class Deep(Transcription):
        def two_colour(self, graph: Graph, first: int) -> int | None:
            free = super().two_colour(graph, first)
            if self.attempts == generate.COLOURS - 1:
                depths.append(free)
            return free

    deep = Deep("recursive")
    end = deep.colour(graph)
    check_proper(graph, deep.colours, end)
    assert deep.attempts == generate.COLOURS - 1  # k = 5, so three neighbourhoods above each
    assert len(depths) > 4
    assert None not in depths


# ---------------------------------------------------------------- every program


BENCHMARK = benchmarks()["colouring-iterative"]
PROGRAMS = [(source.language, source.tier) for source in BENCHMARK.programs]


@pytest.fixture(params=PROGRAMS, ids="-".join)
def program(request: pytest.FixtureRequest) -> BuiltProgram:
    return built(BENCHMARK.name, *request.param)


@pytest.fixture(params=[language for language, tier in PROGRAMS if tier == "standard"])
def standard(request: pytest.FixtureRequest) -> BuiltProgram:
    return built(BENCHMARK.name, str(request.param))


def spread(edges: Iterable[tuple[int, int]]) -> Edges:
    """The same graph with ids over the whole range. Some edges are given twice, in both
    directions."""
    ids = [0, *sorted(random.Random(8).sample(range(1, GREATEST_ID), 200)), GREATEST_ID]
    once = [(ids[-1 - u], ids[-1 - v]) for u, v in edges]
    return [*once, *((v, u) for u, v in once[::3]), *once[::5]]


GRAPHS = {
    "complete": complete(7),
    "cycle": cycle(9),
    "sparse": drawn(150, 0.02, seed=1),
    "dense": drawn(60, 0.5, seed=2),
    "parts": drawn(90, 0.35, seed=3, parts=4),
    "layered": [(u % 200, v % 200) for u, v in cycle(200)]
    + [(u, v) for u, v in drawn(200, 0.1, seed=4, parts=5) if u > v],
}


# Graphs that only `--long` tries: `verify` and the test of iterations colour such graphs, too.
FURTHER = {"cycle", "sparse", "dense"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.long if one in FURTHER else ()) for one in GRAPHS],
)
@pytest.mark.parametrize("form", FORMS)
def test_colouring_is_the_contracts(
    program: BuiltProgram, form: str, name: str, tmp_path: Path
) -> None:
    edges = spread(GRAPHS[name])
    graph = graph_of(edges)
    expected = Transcription(form)
    end = expected.colour(graph)
    check_proper(graph, expected.colours, end)
    path = tmp_path / "graph.txt"
    path.write_text("# a comment\n" + "".join(f"{u}\t{v}\n" for u, v in edges))
    outcome = program.say(count=1, form=form, input=path)
    assert outcome.counters == expected.counters()
    numbers = [*(expected.colours[u] for u in graph.vertices), end]
    assert outcome.digest == fnv1a("".join(f"{number}\n" for number in numbers).encode())
    assert outcome.start["benchmark"] == "colouring"


@pytest.mark.parametrize("form", FORMS)
def test_iterations_repeat_what_was_counted(
    program: BuiltProgram, form: str, tmp_path: Path
) -> None:
    edges = spread(GRAPHS["dense"])
    path = tmp_path / "graph.txt"
    # Some downloaded edge lists have carriage returns, and no line feed at the end.
    path.write_bytes("\r\n".join(f"{u}\t{v}" for u, v in edges).encode())
    counted = program.say(count=1, workload="layered", form=form, input=path)
    timed = program.say(iterations=3, workload="layered", form=form, input=path)
    assert timed.digest == counted.digest


def test_both_forms_have_one_answer() -> None:
    """The canonical answers of both forms have the same digest and the same number of
    operations."""
    forms = [
        {(a.workload, a.size, a.seed): (a.digest, a.operations, a.input_sha256) for a in of_form}
        for form in FORMS
        if (of_form := [a for a in BENCHMARK.answers.answers if a.form == form])
    ]
    assert len(forms) == len(FORMS)
    assert forms[0] == forms[1]


def further(text: str, line: int, what: str) -> ParameterSet:
    """Another text that breaks a rule, which only `--long` tries: each text needs a start of every
    program."""
    return pytest.param(text, line, what, marks=pytest.mark.long)


JUNK = "an edge is two ids from 0 to 4294967295 and a tab between"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, JUNK),
        further("\n", 1, JUNK),
        further("1\t2\n\n", 2, JUNK),
        ("1\t2\n\n2\t3\n", 2, JUNK),
        ("# comment\n1 2\n", 2, JUNK),
        ("1\t2\n1\t2\t3\n", 2, JUNK),
        further("1\t2\n3\n", 2, JUNK),
        ("1\t2\n3\t", 2, JUNK),
        ("1\t-2\n", 1, JUNK),
        ("+1\t2\n", 1, JUNK),
        further("1\t2 \n", 1, JUNK),
        further("1\t0x2\n", 1, JUNK),
        ("1\t٣\n", 1, JUNK),
        ("1\t4294967296\n", 1, JUNK),
        ("18446744073709551617\t2\n", 1, JUNK),
        ("00000000001\t2\n", 1, JUNK),
        ("1\t2\r\r\n", 1, JUNK),
        (" # comment\n1\t2\n", 1, JUNK),
        further("1\t2\n7\t7\n", 2, "vertex 7 is joined to itself, and so has no colour"),
        ("1\t2\n4294967295\t4294967295", 2,
         "vertex 4294967295 is joined to itself, and so has no colour"),
    ],
    ids=repr,
)  # fmt: skip
def test_junk_is_told_with_its_line(
    standard: BuiltProgram, tmp_path: Path, text: str, line: int, what: str
) -> None:
    path = tmp_path / "junk.txt"
    path.write_bytes(text.encode())
    message = f"line {line} of the input: {what}; take a SNAP edge list"
    standard.run(input=path).check_refused(message)


def test_an_input_without_an_edge_is_told(standard: BuiltProgram, tmp_path: Path) -> None:
    path = tmp_path / "comments.txt"
    path.write_text("# nothing\n# else\n")
    standard.run(input=path).check_refused("the input has no edge; make it with generate.py")


# ---------------------------------------------------------------- what is verified of an answer


@pytest.mark.parametrize(
    ("colours", "end"), [({1: 0, 2: 0}, 1), ({1: 0, 2: 1}, 1)], ids=["alike", "too great"]
)
def test_an_improper_colouring_is_no_answer(colours: dict[int, int], end: int) -> None:
    graph = GraphInPython([1, 2], {1: {2}, 2: {1}})
    with pytest.raises(RuntimeError):
        program_in_python.digest(program_in_python.Answer(graph, colours, end))
