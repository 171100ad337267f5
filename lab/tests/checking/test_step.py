"""Commands as steps: what passes, what fails, what is skipped and why."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from checking.step import Counted, Skipped, command
from checking.toolchain import Toolchain


def python(code: str) -> list[str | Path]:
    return [sys.executable, "-c", code]


def test_several_commands_count_as_one_and_stop_at_the_first_failure(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    write = f"open({str(trace)!r}, 'a').write('x')"
    good = command("good", python(write), python(write))
    assert (good.run(), trace.read_text()) == (Counted(passed=1), "xx")
    bad = command("bad", python(write), python("raise SystemExit(3)"), python(write))
    assert (bad.run(), trace.read_text()) == (Counted(failed=1), "xxx")


def test_a_silent_command_fails_when_it_speaks() -> None:
    assert command("quiet", python("pass"), silent=True).run() == Counted(passed=1)
    assert command("loud", python("print('a.go')"), silent=True).run() == Counted(failed=1)
    assert command("may speak", python("print('fine')")).run() == Counted(passed=1)


def test_a_missing_toolchain_skips_and_says_the_line_that_installs_it() -> None:
    missing = Toolchain("go", None, "apt-get install golang-go", {})
    (skipped,) = command("tests of Go", [missing.path, "test"], needs=missing).run().skipped
    advice = "go is missing; to install it: apt-get install golang-go"
    assert skipped == Skipped("tests of Go", advice)


def test_a_toolchain_brings_its_surroundings_and_a_step_may_add_to_them() -> None:
    here = Toolchain("python", Path(sys.executable), "", {**os.environ, "A": "1", "B": "1"})
    asks = "import os; raise SystemExit((os.environ['A'], os.environ['B']) != ('1', '2'))"
    step = command("asks", python(asks), needs=here, environment={"B": "2"})
    assert step.run() == Counted(passed=1)
    assert command("asks", python(asks), needs=here).run() == Counted(failed=1)


def test_counts_add_up_and_reasons_stay_in_order() -> None:
    a, b = Skipped("a", "no go"), Skipped("b", "no go")
    assert Counted(1, 2, (a,)) + Counted(10, 20, (b,)) == Counted(11, 22, (a, b))


@pytest.mark.parametrize("silent", [False, True])
def test_what_a_step_writes_goes_where_it_is_told_to(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], silent: bool
) -> None:
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr)"
    with (tmp_path / "output").open("w+") as output:
        command("speaks", python(code), silent=silent).run(output)
        output.seek(0)
        assert sorted(output.read().split()) == ["err", "out"]
    assert capfd.readouterr() == ("", "")
