"""In every language, a statement that could do more than count is refused as a tick."""

from __future__ import annotations

import pytest

from runfair.building.failure import TickRefused
from runfair.building.ticks import blanked

LANGUAGES = {  # a counter, and a block in which the statement of the tick is `%s`
    "cpp": ("counts->n", "{\n    %s;  // tick\n    a(b, m);\n}\n"),
    "go": ("counts.n", "{\n\t%s // tick\n\ta(b, m)\n}\n"),
    "java": ("counts.n", "{\n    %s; // tick\n    a(b, m);\n}\n"),
    "js": ("counts.n", "{\n  %s; // tick\n  a(b, m);\n}\n"),
    "kt": ("counts.n", "{\n    %s // tick\n    a(b, m)\n}\n"),
    "py": ("counts.n", "def f(b):\n    %s  # tick\n    a(b, m)\n"),
    "rs": ("counts::n", "{\n    %s; // tick\n    a(b, m);\n}\n"),
}
LIARS = {
    "a literal": "{n} += 137489",
    "two": "{n} += 2",
    "a negative number": "{n} += -1",
    "a call": "{n} += a(b)",
    "a method": "{n} += b.size()",
    "a parameter of the work": "{n} += b.tasks",
    "an element": "{n} += b[m]",
    "a sum": "{n} += b + m",
    "a decrement": "{n}--",
    "a subtraction": "{n} -= 1",
    "a product": "{n} *= 2",
    "an assignment": "{n} = 137489",
    "a second assignment": "{n} += m = b",
    "an assignment behind a comma": "{n} += 1, m = b",
    "an increment behind a comma": "{n}++, m++",
    "an assignment behind a semicolon": "{n} += 1; m = b",
    "an assignment in brackets": "{n} += (m = b)",
    "a comparison": "{n} += b < m",
    "a comparison that increments": "{n} += b < m++",
    "an increment that is compared": "{n}++ == m++",
    "a choice": "{n} += b ? 1 : 2",
    "a condition": "b && {n}++",
    "a counter that is called": "a().n += 1",
}
LENGTHS = {  # code that uses `tasks`, with a tick that adds it
    "cpp": "void f(size_t tasks) {\n    %s;  // tick\n    g(tasks);\n}\n",
    "go": "func f(tasks int) {\n\t%s // tick\n\tg(tasks)\n}\n",
    "java": "void f(int tasks) {\n    %s; // tick\n    g(tasks);\n}\n",
    "js": "function f({ tasks }) {\n  %s; // tick\n  g(tasks);\n}\n",
    "kt": "fun f(tasks: Int) {\n    %s // tick\n    g(tasks)\n}\n",
    "py": "def f(tasks):\n    %s  # tick\n    g(tasks)\n",
    "rs": "fn f(tasks: usize) {\n    %s; // tick\n    g(tasks);\n}\n",
}
NEWSPEAK = "m = (\n  %s (* tick *)\n  a: b m: m\n)\n"
NEWSPEAK_LIARS = {
    "a literal": "counts n: counts n + 137489.",
    "two": "counts n: counts n + 2.",
    "a call": "counts n: counts n + (a: b).",
    "a method": "counts n: counts n + b size.",
    "an element": "counts n: counts n + (b at: m).",
    "a sum": "counts n: counts n + 1 + m.",
    "a decrement": "counts n: counts n - 1.",
    "a product": "counts n: counts n * 2.",
    "an assignment": "counts n: 137489.",
    "another counter": "counts n: counts m + 1.",
    "another receiver": "counts n: others n + 1.",
    "an assignment in brackets": "counts n: (m:: b) + 1.",
    "an assignment behind a full stop": "counts n: counts n + 1. m:: b.",
    "a cascade": "counts n: counts n + 1; m: b.",
    "a comparison": "counts n: counts n + 1 < m.",
    "a further argument": "counts n: counts n + 1 m: b.",
    "a condition": "b ifTrue: [ counts n: counts n + 1 ].",
    "a slot": "n:: n + 1.",
}

ERLANG = "f(B) ->\n    %s %% tick\n    a(B).\n"
ERLANG_LIARS = {
    "a literal": "counts:add(n, 137489),",
    "a call": "counts:add(a(B)),",
    "a variable": "counts:add(B),",
    "a match": "M = counts:add(n),",
    "a match behind a comma": "counts:add(n), M = B,",
    "a comparison": "counts:add(n) > B,",
    "a decrement": "counts:subtract(n),",
    "another module": "others:add(n),",
    "a condition": "B andalso counts:add(n),",
}


def is_blanked(text: str, suffix: str) -> bool:
    """Whether the second line alone becomes empty."""
    first, _, *rest = text.split("\n")
    return blanked(text, f"a.{suffix}").split("\n") == [first, "", *rest]


@pytest.mark.parametrize("suffix", LANGUAGES)
def test_a_counter_is_incremented_in_every_language(suffix: str) -> None:
    """The liars below stand in the same block, so only their statements are refused."""
    counter, block = LANGUAGES[suffix]
    text = block % f"{counter} += 1"
    assert is_blanked(text, suffix)


@pytest.mark.parametrize("liar", LIARS)
@pytest.mark.parametrize("suffix", LANGUAGES)
def test_a_liar_is_refused_in_every_language(suffix: str, liar: str) -> None:
    counter, block = LANGUAGES[suffix]
    with pytest.raises(TickRefused, match=r"is not a valid counting line|not valid Python"):
        blanked(block % LIARS[liar].format(n=counter), f"a.{suffix}")


@pytest.mark.parametrize("suffix", LENGTHS)
def test_a_parameter_is_added_to_no_counter_of_operations(suffix: str) -> None:
    """A field or an argument without dots looks like a length."""
    counter, _ = LANGUAGES[suffix]
    assert is_blanked(LENGTHS[suffix] % f"{counter}_bytes += tasks", suffix)
    assert is_blanked(LENGTHS[suffix] % f"{counter}Bytes += tasks", suffix)
    with pytest.raises(TickRefused, match=r"line 2: .* to a counter whose name ends in `bytes`"):
        blanked(LENGTHS[suffix] % f"{counter} += tasks", f"a.{suffix}")


@pytest.mark.parametrize("liar", NEWSPEAK_LIARS)
def test_a_liar_is_refused_in_newspeak(liar: str) -> None:
    honest = NEWSPEAK % "counts n: counts n + 1."
    assert is_blanked(honest, "ns")
    with pytest.raises(TickRefused, match=r"is not a valid counting line .*`counts NAME"):
        blanked(NEWSPEAK % NEWSPEAK_LIARS[liar], "a.ns")


@pytest.mark.parametrize("liar", ERLANG_LIARS)
def test_a_liar_is_refused_in_erlang(liar: str) -> None:
    assert is_blanked(ERLANG % "counts:add(n),", "erl")
    with pytest.raises(TickRefused, match="is not a valid counting line"):
        blanked(ERLANG % ERLANG_LIARS[liar], "a.erl")


@pytest.mark.parametrize("operator", ["->", "::"])
@pytest.mark.parametrize("suffix", LANGUAGES)
def test_names_have_the_operators_of_their_language(suffix: str, operator: str) -> None:
    """In Kotlin `a->n++` would declare a parameter of a lambda, and blanking it would remove it."""
    _, block = LANGUAGES[suffix]
    text = block % f"a{operator}n += 1"
    if operator in {"cpp": ("->", "::"), "rs": ("::",)}.get(suffix, ()):
        assert is_blanked(text, suffix)
    else:
        with pytest.raises(TickRefused):
            blanked(text, f"a.{suffix}")
