import subprocess
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine import native


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    return tmp_path / "private"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "answer"
    folder.mkdir()
    (folder / "answer.hpp").write_text("inline int answer() { return 42; }\n")
    (folder / "main.cpp").write_text('#include "answer.hpp"\nint main() { return answer(); }\n')
    return folder


def test_what_is_there_is_not_built_again(sources: Path, private: Path) -> None:
    made = native.build("answer", sources)
    assert made.parent.parent == private / "native"
    assert subprocess.run([made], check=False).returncode == 42
    built_ns = made.stat().st_mtime_ns
    assert native.build("answer", sources) == made
    assert made.stat().st_mtime_ns == built_ns
    assert [each.name for each in made.parent.iterdir()] == ["answer"]


def test_a_changed_header_is_built_anew_beside_the_old(sources: Path) -> None:
    old = native.build("answer", sources)
    (sources / "answer.hpp").write_text("inline int answer() { return 43; }\n")
    new = native.build("answer", sources)
    assert new != old
    assert subprocess.run([new], check=False).returncode == 43
    assert subprocess.run([old], check=False).returncode == 42


def test_another_compiler_has_another_key(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default = native.build("answer", sources)
    monkeypatch.setenv("CXX", f"{native.find_compiler()[0]} -DOTHER")
    assert native.build("answer", sources) != default


def test_no_compiler_names_the_line_to_type(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserMistake, match=r"no C\+\+ compiler .*sudo apt-get install g\+\+"):
        native.build("answer", sources)


def test_a_host_without_a_compiler_uses_the_build_of_another(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a cluster whose hosts share the private folder."""
    made = native.build("answer", sources)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert native.build("answer", sources) == made
    (sources / "answer.hpp").write_text("inline int answer() { return 43; }\n")
    with pytest.raises(UserMistake, match=r"no C\+\+ compiler"):
        native.build("answer", sources)


def test_a_host_of_a_run_uses_the_build_of_the_lab(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab and the host may use different compilers, and a compiler may be missing on the
    host."""
    usual = native.find_compiler()[0]
    made = set()
    for lab in (usual, f"{usual} -DOTHER"):
        monkeypatch.setenv("CXX", lab)
        monkeypatch.delenv(native.BUILT, raising=False)
        built = native.build("answer", sources)
        monkeypatch.setattr(native, "build_native", lambda _, built=built: built)
        monkeypatch.setenv(*native.lab_builds().split("="))
        for host in ("no-such-compiler", f"{usual} -DTHIRD", usual):
            monkeypatch.setenv("CXX", host)
            assert native.build("answer", sources) == built
        made.add(built)
    assert len(made) == 2
    (sources / "answer.hpp").write_text("inline int answer() { return 43; }\n")
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(UserMistake, match="CXX names no-such-compiler"):
        native.build("answer", sources)


def test_a_compiler_that_is_not_there_is_named(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = native.build("answer", sources)
    monkeypatch.setenv("CXX", "no-such-compiler -O3")
    with pytest.raises(UserMistake, match="CXX names no-such-compiler"):
        native.build("answer", sources)
    monkeypatch.setenv("PATH", "/nowhere")  # a host of a cluster, without the lab's compiler
    assert native.build("answer", sources) == made


def test_a_failed_build_says_why_and_leaves_nothing(sources: Path, private: Path) -> None:
    (sources / "main.cpp").write_text("int main() { return missing_name; }\n")
    with pytest.raises(UserMistake, match=r"could not build answer .*missing_name"):
        native.build("answer", sources)
    assert not list((private / "native").rglob("answer*"))


def test_the_reference_loop_prints_what_it_did() -> None:
    program = native.build_native(native.REFERENCE)
    done = subprocess.run([program, "3"], capture_output=True, text=True, check=True)
    rows = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(rows) == 3
    # Neither folded away nor skipped: 30 million dependent steps take a processor over 10 ms.
    assert all(wall_ns > 10_000_000 and cpu_ns > 10_000_000 for wall_ns, cpu_ns, _ in rows)
    again = subprocess.run([program, "3"], capture_output=True, text=True, check=True)
    assert [r[2] for r in rows] == [int(line.split()[2]) for line in again.stdout.splitlines()]
    assert subprocess.run([program, "0"], capture_output=True, check=False).returncode == 2
    for arguments in (["x"], ["1", "2"], ["memory"], ["memory", "0"], ["memory", "1", "2"]):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: runfair-reference [ITERATIONS]")


@pytest.mark.parametrize("kind", ["computing", "memory"])
def test_the_reference_loop_works_until_its_time_is_over(kind: str) -> None:
    program = native.build_native(native.REFERENCE)
    per_step: list[float] = []
    for asked_ns in (2_000_000, 20_000_000):
        done = subprocess.run(
            [program, kind, str(asked_ns)], capture_output=True, text=True, check=True
        )
        _, steps, wall_ns, cpu_ns, _ = map(int, done.stdout.split())
        assert wall_ns >= asked_ns
        per_step.append(cpu_ns / steps)
    # Of constant work: ten times the time is about ten times the steps.
    assert 0.2 < per_step[0] / per_step[1] < 5
