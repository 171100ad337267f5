"""Callgrind's output files: the instructions of each place, and no file that is not whole."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runfair.formats.callgrind import BrokenCallgrindFile, Place, read_callgrind

HEADER = "# callgrind format\nversion: 1\ncmd:  ./program\npositions: line\nevents: Ir\n\n"
BODY = (
    "ob=(1) /program\nfl=(1) sort.cpp\nfn=(1) sort(int)\n10 4\n+2 6\n"
    "cob=(2) /libc.so\ncfi=(2) ???\ncfn=(2) free\ncalls=3 0 \n* 300\n* 1\n"
    "fi=(3) vector.h\n-5 7\nfe=(1)\n20 2\n\n"
    "ob=(2)\nfl=(2)\nfn=(2)\n0 100\n\n"
)
WHOLE = f"{HEADER}{BODY}totals: 120\n"
NAMES = st.text(
    st.characters(exclude_characters="\n", codec="utf-8"), min_size=1, max_size=9
).filter(lambda name: name != "???")
PLACES = st.builds(Place, NAMES, NAMES, NAMES, st.one_of(st.none(), st.integers(1, 2**32)))
PROFILES = st.dictionaries(PLACES, st.integers(1, 2**60), min_size=1, max_size=8)
OVER_AND_OVER = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read(folder: Path, text: str) -> Counter[Place]:
    path = folder / "callgrind.out"
    path.write_text(text, encoding="utf-8", newline="")
    return read_callgrind(path)


def written(profile: dict[Place, int], *, relative: bool) -> str:
    """The profile as callgrind writes it, with numbered names."""
    numbers: dict[tuple[str, str], int] = {}

    def named(kind: str, name: str) -> str:
        if (kind, name) in numbers:
            return f"{kind}=({numbers[kind, name]})\n"
        numbers[kind, name] = len(numbers) + 1
        return f"{kind}=({numbers[kind, name]}) {name}\n"

    text, last = HEADER, 0
    for place, count in profile.items():
        line = place.line or 0
        position = str(line)
        if relative:
            position = "*" if line == last else f"{line - last:+}"
        text += named("ob", place.object) + named("fl", place.path) + named("fn", place.function)
        text += f"{position} {count}\n"
        last = line
    return f"{text}totals: {sum(profile.values())}\n"


def test_called_functions_inlined_lines_and_relative_positions(tmp_path: Path) -> None:
    own = ("/program", "sort(int)")
    assert read(tmp_path, WHOLE) == {
        Place(*own, "sort.cpp", 10): 4,
        Place(*own, "sort.cpp", 12): 7,
        Place(*own, "vector.h", 7): 7,
        Place(*own, "sort.cpp", 20): 2,
        Place("/libc.so", "free", "", None): 100,
    }


def test_names_without_numbers_may_begin_with_a_parenthesis(tmp_path: Path) -> None:
    text = f"{HEADER}ob=/program\nfl=a.c\nfn=(below main)\n1 5\ntotals: 5\n"
    assert read(tmp_path, text) == {Place("/program", "(below main)", "a.c", 1): 5}


def test_only_the_instructions_among_several_events_count(tmp_path: Path) -> None:
    header = HEADER.replace("events: Ir", "events: Dr Ir")
    text = f"{header}fn=(1) f\n1 5 6\n2 7\ntotals: 12 6\n"
    assert read(tmp_path, text).total() == 6


@OVER_AND_OVER
@given(PROFILES, st.booleans())
def test_a_profile_is_read_as_it_was_written(
    tmp_path: Path, profile: dict[Place, int], relative: bool
) -> None:
    assert read(tmp_path, written(profile, relative=relative)) == profile


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is incomplete, because callgrind did not finish it"),
        (HEADER + BODY, "the file is incomplete, because callgrind did not finish it"),
        (
            WHOLE.replace("totals: 120", "totals: 121"),
            "the file states a total of 121 instructions, but its lines add up to 120 instructions",
        ),
        (
            WHOLE.replace("* 300\n", ""),
            (
                "the file states a total of 120 instructions, but its lines add up to 119 "
                "instructions"
            ),
        ),
        (
            WHOLE.replace("* 300", "fn=(2)"),
            (
                "line 16: the line before this one begins a call, so this line must contain the "
                "costs of the call, but it does not"
            ),
        ),
        (WHOLE.replace("+2 6", "-11 6"), "line 11: the line has a negative number"),
        (WHOLE.replace("fe=(1)", "fe=(9)"), "line 20: no name has the number 9"),
        (WHOLE.replace("events: Ir", "events: Dr"), "line 5: the instructions were not counted"),
        (WHOLE.replace("events: Ir", ""), "line 10: the events are unknown"),
        (
            WHOLE.replace(": line", ": instr line"),
            ("line 10: the file does not state the source lines to which its costs belong"),
        ),
        (HEADER + "1 5\ntotals: 5\n", "line 7: the costs belong to no function"),
        (
            WHOLE.replace("10 4", "10 four"),
            ("line 10: this line does not follow callgrind's format"),
        ),
        (WHOLE.replace("10 4", f"10 {'4' * 5000}"), "line 10: a number has too many digits"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BrokenCallgrindFile, match=re.escape(problem)):
        read(tmp_path, text)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenCallgrindFile, match="the file cannot be read"):
        read_callgrind(tmp_path / "nothing")


@OVER_AND_OVER
@given(st.data())
def test_a_damaged_file_is_refused_or_keeps_its_sum(tmp_path: Path, data: st.DataObject) -> None:
    lines = WHOLE.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = data.draw(
            st.one_of(st.just(""), st.sampled_from(lines), st.text(), st.just(lines[at][:-1]))
        )
    try:
        found = read(tmp_path, "\n".join(lines))
    except BrokenCallgrindFile:
        return
    assert all(count >= 0 for count in found.values())
    assert any(f"totals: {found.total()}" == line for line in "\n".join(lines).split("\n"))


@pytest.mark.skipif(
    not all(map(shutil.which, ("valgrind", "callgrind_annotate"))),
    reason="valgrind is missing: apt-get install valgrind",
)
def test_a_real_file_has_the_functions_that_callgrind_annotate_lists(tmp_path: Path) -> None:
    path = tmp_path / "callgrind.out"
    command = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={path}", "true"]
    subprocess.run(command, check=True)
    listed = subprocess.run(
        ["callgrind_annotate", "--threshold=100", "--auto=no", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows: Counter[str] = Counter()
    for count, name in re.findall(r"^ *([\d,]+) \([\d. ]+%\)  (\S+:.*?)(?: \[.*)?$", listed, re.M):
        rows[name] += int(count.replace(",", ""))
    ours: Counter[str] = Counter()
    for place, count in read_callgrind(path).items():
        ours[f"{place.path or '???'}:{place.function or '???'}"] += count
    assert rows
    assert {name: ours[name] for name in rows} == rows
