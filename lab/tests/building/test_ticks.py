"""Ticks are blanked, lines that only look like ticks are refused, and no other code changes."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.building.bare_code import SUFFIXES as BRACED
from runfair.building.bare_code import bare_code, newspeak_code
from runfair.building.failure import TickRefused
from runfair.building.ticks import SUFFIXES, blanked
from runfair.catalogue.benchmark import benchmarks

TICKED = re.compile(r"(?:(?://|#|%) tick|\(\* tick \*\))$")


def without(text: str) -> str:
    """The lines that end as ticks do, emptied: what an honest source becomes."""
    return "\n".join("" if TICKED.search(line) else line for line in text.split("\n"))


# ---------------------------------------------------------------- honest ticks

HONEST = {
    "block.go": """
func swap(words []string, i, j int) {
	counts.swaps++ // tick
	words[i], words[j] = words[j], words[i]
	counts.bytes += length // tick
	if length := len(words); length > 3 {
		counts.long++ // tick
	}
	switch { // a word with `backticks` and a '"'
	case i < j:
		counts.less++ // tick
		x++
		counts.more++ // tick
	default:
		counts.other++ // tick
	}
}
""",
    "block.js": """
export function swap(words, i, j) {
  this.counts.swaps++; // tick
  const text = `${words.map((word) => { return `{${word}`; })} /* no // comment`;
  for (const part of text.split(/[/"'`]/)) {
    counts.parts++; // tick
    if (part / 2 > 1 / 3) {
      counts.halves++; // tick
    }
  }
  counts.ends++; // tick
  words[i] = text;
}
""",
    "Block.java": '''
final class Block {
    void swap(String[] words) {
        counts.swaps++; // tick
        String text = """
            { ( " // tick?
            """;
        switch (words.length) {
            case 1:
                counts.one++; // tick
                break;
            default:
                counts.many += 1; // tick
        }
        char quote = '"', slash = '\\'';
        int length = text.length();
        bytes += length; // tick
        words[length] = text;
    }
}
''',
    "block.kt": """
private fun swap(words: Array<String>, i: Int, j: Int) {
    counts.swaps++ // tick
    /* nested /* comments */ ( */
    val text = "{ ( ${words["one"]} $i \\" { // tick?"
    val raw = \"""{ ( " // tick?
        { ( "\"""
    for ((at, word) in words.withIndex()) {
        counts.words += 1 // tick
        if (word == text || at.toChar() == '{') {
            counts.bytes += at // tick
            continue
        }
        counts.others++ // tick
        words[at] = raw
    }
}
""",
    "block.cpp": """
#include <string>
#define LIMIT 7 /* a comment
of two lines */

template <bool counting>
void swap(Words& words) {
    counts->swaps++;  // tick
    const auto text = R"x({ ( " // )x" + u8"{";
    const int many = 1'000'000;  // a comment \\
    that goes on (
    if (many > LIMIT) {
        Counts::bytes += many;  // tick
    }
    words.push_back(text[many]);
}
""",
    "block.erl": """
%% counts:add(swaps), % ticks
swap(Words, I) when I > 0, I < 9 ->
    counts:add(swaps), % tick
    Quotes = [$", $', $(, $\\", "a ( % string", 'an { atom % tick'],
    Text = "of two ( %
        lines",
    receive
        {word, Word} ->
            counts:add(words), % tick
            [Word, Text | Quotes];
        _ ->
            counts:add(others), % tick

            counts:add(ends), % tick
            Words
    end.
""",
    "Block.ns": """
class Block counting: counts = (| private counts = counts. private text = 'a ''(* tick *) [' |)(
  (* nested (* comments *) ( *)
  public swap: words = (
    counts swaps: counts swaps + 1. (* tick *)
    words do: [:word |
      counts words: counts words + 1. (* tick *)
      word = "[" ifTrue: [
        counts swaps: counts swaps + 1. (* tick *)
        counts words: counts words + 1. (* tick *)
        ^ { word. text } ].
      counts words: counts words + 1. (* tick *)
      word println ]
  )
  public locals = (
    | one = 1. two ::= 2. |
    counts swaps: counts swaps + 1. (* tick *)
    ^ one | two
  )
)
""",
    "block.rs": """
fn swap<'a>(words: &'a mut [&'a str], counts: &mut Counts) {
    counts.swaps += 1; // tick
    let quote = '"'; let brace = b'{'; let end = '\\'';
    /* nested /* comments */ ( */
    let text = r#"{ ( " "#;
    let lines = "of two
        lines {";
    let length = text.len() + lines.len();
    words.iter().for_each(|word| {
        counts.words += 1; // tick
        print!("{word}{quote}");
    });
    counts.bytes += length; // tick
    assert!(length > 0);
}
""",
    "block.py": '''
def swap(words: list[str], counts: Counts) -> None:
    """Not one: counts.swaps += 1  # tick"""
    counts.swaps += 1  # tick
    for word in words:
        counts.words += 1  # tick
        length = len(word)
        counts.bytes += length  # tick
        print(length, """
            counts.swaps += 1  # tick
        """)
''',
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_ticks_are_blanked_and_nothing_else(name: str) -> None:
    timed = blanked(HONEST[name], name)
    assert timed.count("\n") == HONEST[name].count("\n")
    inside = "Not one" in HONEST[name]  # the ticks in its strings stay
    kept = [line for line in timed.split("\n") if TICKED.search(line)]
    assert len(kept) == (1 if inside else 0)
    if not inside:
        assert timed == without(HONEST[name])
    assert blanked(timed, name) == timed


def test_a_file_of_another_kind_of_comment_is_left_alone() -> None:
    for suffix in SUFFIXES:
        assert blanked("x = '# ticks'  # tock\n", f"a{suffix}") == "x = '# ticks'  # tock\n"


@pytest.mark.parametrize("name", benchmarks())
def test_every_program_differs_in_its_ticks_alone(name: str) -> None:
    for program in benchmarks()[name].programs:
        for path in program.folder.rglob("*"):
            if path.is_file() and path.suffix in SUFFIXES:
                text = path.read_text(encoding="utf-8")
                timed = blanked(text, path.name)
                changed = zip(text.split("\n"), timed.split("\n"), strict=True)
                assert all(after in (before, "") for before, after in changed), path
                assert all(
                    TICKED.search(before) or before == after
                    for before, after in zip(text.split("\n"), timed.split("\n"), strict=True)
                ), path


# ---------------------------------------------------------------- ticks that are none

FORM = "is not a valid counting line (`tick`); write NAME"
STATEMENT = "a counting line (`tick`) must be a separate statement"
BODY = "a counting line (`tick`) must be an expression of its own in a function's body"
CONTINUES = "as part of the line before; move the counting line"

REFUSED = {
    # What it adds.
    "a literal.go": ("{\nn += 137489 // tick\n}", FORM),
    "a call.go": ("{\nn += f(x) // tick\n}", FORM),
    "an index.go": ("{\nn += a[i] // tick\n}", FORM),
    "an index of a counter.js": ("{\nn[i]++; // tick\n}", FORM),
    "arithmetic.rs": ("{\nn += a - b; // tick\n}", FORM),
    "a subtraction.cpp": ("{\nn -= 1; // tick\n}", FORM),
    "an assignment.py": ("n = 137489  # tick", FORM),
    "a decrement.go": ("{\nn-- // tick\n}", FORM),
    "two statements.js": ("{\nx++; y++; // tick\n}", FORM),
    "work with it.java": ("{\nwork(); n++; // tick\n}", FORM),
    "a block with it.java": ("{\n{ n++; // tick\n}", FORM),
    "no space.js": ("{\nn++; //tick\n}", FORM),
    "the word alone.go": ("{\n// tick\n}", FORM),
    "a made length.go": (
        "const LIE = 137489\nfunc f() {\nbytes += LIE // tick\n}",
        "no other code reads",
    ),
    "a field.go": ("func f() {\ncounts.calls += work.tasks // tick\ng(work.tasks)\n}", FORM),
    "a made length.py": (
        "LIE = 137489\ndef f():\n    bytes += LIE  # tick\n    g(LIES)",
        "no other code",
    ),
    # Where it stands.
    "if without braces.cpp": ("if (x)\n    n++; // tick\ny();", STATEMENT),
    "if without braces.java": ("{\nif (x)\n    n++; // tick\ny();\n}", STATEMENT),
    "else without braces.js": ("{\nif (x) y(); else\n    n++; // tick\nz();\n}", STATEMENT),
    "a loop without braces.js": ("{\nwhile (x--)\n    n++; // tick\nz();\n}", STATEMENT),
    "braces in a remark.cpp": ("{\nif (x) // {\n    n++; // tick\ny();\n}", STATEMENT),
    "braces in a comment.cpp": ("{\nif (x) /* { */\n    n++; // tick\ny();\n}", STATEMENT),
    "a comment between.cpp": ("{\nif (x)\n// why;\n\n    n++; // tick\ny();\n}", STATEMENT),
    "a tick between.cpp": ("{\nif (x)\nm++; // tick\nn++; // tick\ny();\n}", STATEMENT),
    "a condition over lines.cpp": ("{\nfor (a;\nn++; // tick\nb) {}\n}", STATEMENT),
    "a condition over lines.go": ("{\nif x &&\nn++ // tick\ny {}\n}", STATEMENT),
    "arguments.go": ("{\nf(func() {},\nn++ // tick\n)\n}", STATEMENT),
    "arguments.js": ("{\nf(\n  g(),\nn++; // tick\n);\n}", STATEMENT),
    "a list.rs": ("{\nlet a = [1;\nn += 1; // tick\n2];\n}", STATEMENT),
    "a ternary.js": ("switch (z) {\ncase 1: y = x ? 1 :\n  n++; // tick\n  f();\n}", STATEMENT),
    "an attribute.rs": ("{\n#[cfg(x)]\nn += 1; // tick\nf();\n}", STATEMENT),
    "an attribute.cpp": ("{\n[[likely]]\nn++; // tick\nf();\n}", STATEMENT),
    "a macro's text.rs": ("macro_rules! m {\n() => {\n{\nn += 1; // tick\n}\n}\n}", "macro"),
    "a macro's argument.rs": ("{\nm! {\na();\nn += 1; // tick\n}\n}", "macro"),
    "a substitution.js": ("{\nx = `${\nn++; // tick\n}`;\n}", STATEMENT),
    "a directive.cpp": ("{\nif (x)\n#define A {\n  n++; // tick\ny();\n}", "directive"),
    "a pragma.cpp": ("{\na();\n#pragma omp critical\nn++; // tick\nb();\n}", "directive"),
    "a definition over lines.cpp": ("#define A \\\n{ \\\nn++; // tick\n", "directive"),
    "a continued line.cpp": ("{\na(); \\\nn++; // tick\n}", STATEMENT),
    "a counter that is a macro.cpp": (
        "#define n x = 137489; y\n{\nn++; // tick\n}",
        "n is a macro",
    ),
    # Semicolons that are not there.
    "no semicolon.js": ("{\nx = y;\nn++ // tick\n}", "must end with a semicolon"),
    "no semicolon before.js": ("{\nx = y\nn++; // tick\n(z)\n}", STATEMENT),
    "a brace before a call.js": ("{\nx = function () {}\nn++; // tick\n(y)\n}", CONTINUES),
    "a brace before a list.js": ("{\nx = {}\nn++; // tick\n// why\n[y] = z\n}", CONTINUES),
    "a brace before a template.js": ("{\nx = {}\nn++; // tick\n`z`\n}", CONTINUES),
    "no semicolon.java": ("{\nx();\nn++ // tick\n}", "must end with a semicolon"),
    "an operator before.go": ("{\nx = y +\nn++ // tick\nz\n}", STATEMENT),
    "a dot before.go": ("{\nx = y.\nn++ // tick\nz()\n}", STATEMENT),
    "an if alone.kt": ("{\nif (x)\nn++ // tick\ny()\n}", STATEMENT),
    "an infix call before.kt": ("{\nval x = y or\nn++ // tick\nz\n}", STATEMENT),
    "a call before.kt": ("{\nx()\nn++ // tick\ny()\n}", STATEMENT),
    "a lambda's arrow.kt": ("{\nx { y ->\nn++ // tick\nz(y)\n}\n}", STATEMENT),
    "a brace before a dot.kt": ("{\nval x = run { y }\nn++ // tick\n.z()\n}", CONTINUES),
    "a brace before an elvis.kt": ("{\nval x = run { y }\nn++ // tick\n?: z\n}", CONTINUES),
    "a brace before a lambda.kt": ("{\nval x = y { 1 }\nn++ // tick\n{ 2 }\n}", CONTINUES),
    "a block's value.kt": ("{\nval x = if (y) {\nn++ // tick\n} else {\n1\n}\n}", CONTINUES),
    "braces in a text.kt": ('{\nx("""{""")\nn++ // tick\ny()\n}', STATEMENT),
    "another call.erl": ("f() ->\n  other:add(n), % tick\n  ok.", FORM),
    "a variable.erl": ("f(N) ->\n  counts:add(N), % tick\n  ok.", FORM),
    "a length.erl": ("f() ->\n  counts:add(n, 4), % tick\n  ok.", FORM),
    "the last expression.erl": ("f() ->\n  counts:add(n). % tick\n", FORM),
    "an end of a clause.erl": ("f() ->\n  counts:add(n); % tick\n", FORM),
    "a match before.erl": ("f() ->\n  X =\n  counts:add(n), % tick\n  X.", BODY),
    "an operator before.erl": ("f() ->\n  a() !\n  counts:add(n), % tick\n  b().", BODY),
    "arguments.erl": ("f() ->\n  g(a,\n  counts:add(n), % tick\n  b).", BODY),
    "a list.erl": ("f() ->\n  [a,\n  counts:add(n), % tick\n  b].", BODY),
    "a character before.erl": ("f() ->\n  g() + $,\n  counts:add(n), % tick\n  b().", BODY),
    # Ends of lines that not everybody sees.
    "a carriage return.js": ("{\na(); // x\rif (y)\nn++; // tick\nb();\n}", "with a line feed"),
    "a line separator.js": ("{\na(); // x\u2028if (y)\nn++; // tick\nb();\n}", "with a line feed"),
    "an escaped line feed.java": ("{\na(); // x\\u000aif (y)\nn++; // tick\n}", "ASCII"),
    # Newspeak.
    "another name.ns": (
        "m = (\n n words: n swaps + 1. (* tick *)\n x\n)",
        "is not a valid counting line (`tick`); write `counts",
    ),
    "a length.ns": (
        "m = (\n n words: n words + x. (* tick *)\n x\n)",
        "is not a valid counting line (`tick`); write `counts",
    ),
    "no full stop.ns": (
        "m = (\n n words: n words + 1 (* tick *)\n x\n)",
        "is not a valid counting line (`tick`); write `counts",
    ),
    "the value of a block.ns": (
        "m = (\n x do: [\n  y.\n  n words: n words + 1. (* tick *)\n ]\n)",
        "must not be the last statement",
    ),
    "the end of a method.ns": ("m = (\n y.\n n w: n w + 1. (* tick *)\n)", "must not be the last"),
    "the rest of an expression.ns": (
        "m = (\n x |\n n w: n w + 1. (* tick *)\n ^ y\n)",
        STATEMENT,
    ),
    "an element.ns": ("m = (\n ^ {1.\n n w: n w + 1. (* tick *)\n y}\n)", STATEMENT),
    "brackets.ns": ("m = (\n ^ (\n n w: n w + 1. (* tick *)\n y)\n)", STATEMENT),
    # Python.
    "else with a tick alone.py": (
        "if x:\n    y()\nelse:\n    n += 1  # tick\nz()",
        "contains only counting lines",
    ),
    "a tick alone.py": ("def f():\n    n += 1  # tick\n", "contains only counting lines"),
    "ticks alone.py": (
        "for x in y:\n    n += 1  # tick\n    m += 1  # tick\nz()",
        "contains only counting lines",
    ),
    "a case with a tick alone.py": (
        "match x:\n  case 1:\n    n += 1  # tick\n",
        "contains only counting lines",
    ),
    "behind a colon.py": ("if x: n += 1  # tick\n", FORM),
    "a continued line.py": ("if x: \\\n  n += 1  # tick\ny()", "contains only counting lines"),
    "brackets.py": ("f(\n    n++  # tick\n    x\n)", STATEMENT),
    "an operator.py": ("n++  # tick\n", "this is not valid Python"),
    "no Python.py": ("if x\n    n += 1  # tick\n", "this is not valid Python"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_tick_is_refused_with_file_and_line(name: str) -> None:
    text, why = REFUSED[name]
    with pytest.raises(TickRefused) as refused:
        blanked(text, name)
    where, _, said = str(refused.value).partition(": ")
    assert why in said
    number = int(where.removeprefix(f"{name}, line "))
    assert 1 <= number <= text.count("\n") + 1
    if why in (FORM, STATEMENT):
        assert "tick" in text.split("\n")[number - 1]


# ---------------------------------------------------------------- properties

LINES = {
    ".erl": [
        "counts:add(n), % tick",
        "add(n), % tick",
        "f() ->",
        "$(",
        "$",
        "X =",
        "g(",
        "),",
        "b.",
    ],
    ".go": ["counts.n++ // tick", "n += 137489 // tick", "x = `", "if x {", "}", "x = f(", ")"],
    ".js": ["counts.n++; // tick", "n++ // tick", "x = `${", "if (x) {", "}", "/*", "*/", "[y];"],
    ".java": [
        "counts.n++; // tick",
        "n += f(); // tick",
        '"""',
        "if (x)",
        "{",
        "}",
        "'\"'",
        "x();",
    ],
    ".cpp": ["counts.n++; // tick", "#if x", 'R"a(', ')a"', "x(); \\", "{", "}", "// y \\", "1'0"],
    ".kt": ["counts.n++ // tick", "n++; // tick", '"""', '"${x["', "x {", "}", "/*", "*/", ".y()"],
    ".rs": ["counts.n += 1; // tick", 'r#"', '"#', "/* /*", "*/", "m! {", "}", "'a", "'{'", "{"],
    ".ns": ["n w: n w + 1. (* tick *)", "m = (", ")", "[:x |", "]", "x.", "'", '"', "(*", "*)"],
    ".py": [
        "n += 1  # tick",
        "    n += 1  # tick",
        "if x:",
        "    y()",
        "else:",
        '"""',
        "z = (",
        ")",
    ],
}


@st.composite
def sources(draw: st.DrawFn) -> tuple[str, str]:
    suffix = draw(st.sampled_from(sorted(LINES)))
    line = st.one_of(
        st.sampled_from(LINES[suffix]), st.text(alphabet="{}()'\"`/*#%$\\ x;\n", max_size=6)
    )
    return "\n".join(draw(st.lists(line, max_size=12))), suffix


@given(sources())
def test_lines_keep_their_numbers(source: tuple[str, str]) -> None:
    """Whatever is written: refused, or only whole ticks are gone and the rest is as it was."""
    text, suffix = source
    try:
        timed = blanked(text, f"a{suffix}")
    except TickRefused as refused:
        number = int(re.findall(r"line (\d+)", str(refused))[0])
        assert 1 <= number <= text.count("\n") + 1
        return
    for before, after in zip(text.split("\n"), timed.split("\n"), strict=True):
        assert after == before or (after == "" and TICKED.search(before))
    assert blanked(timed, f"a{suffix}") == timed
    if suffix == ".py" and timed != text:
        assert dumped(timed) == dumped(text)


def dumped(text: str) -> str:
    """Python's own reading of the lines that are no ticks, at their places."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                left = [one for one in block if not isinstance(one, ast.AugAssign)]
                setattr(node, name, left)
    return ast.dump(tree, include_attributes=True)


@given(sources())
def test_code_has_the_lines_of_its_source(source: tuple[str, str]) -> None:
    text, suffix = source
    if suffix == ".ns":
        code = newspeak_code(text)
        assert len(code.lines) == len(code.open) == text.count("\n") + 1
    if suffix in BRACED:
        bare = bare_code(text, suffix)
        assert len(bare.lines) == len(bare.open) == text.count("\n") + 1


def test_suffixes() -> None:
    assert {PurePath(name).suffix for name in HONEST} <= set(SUFFIXES)
