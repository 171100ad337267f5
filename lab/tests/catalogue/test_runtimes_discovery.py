"""Finding, identifying and remembering, against invented runtimes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from catalogue.invented import Bench
from runfair.catalogue import candidate, runtime
from runfair.catalogue.candidate import Candidate, identify
from runfair.catalogue.family import BUILT_IN, Families, load_families
from runfair.catalogue.runtime import Discovery, recently_discovered, select, select_one, variants
from runfair.errors import UserMistake
from runfair.paths import private_folder


def states(bench: Bench) -> dict[str, str]:
    return {variant.name: variant.state for variant in bench.variants()}


def test_every_variant_of_every_runtime(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-2", "2.10")
    bench.toy("toy-29", "2.9")
    names = [variant.name for variant in bench.variants()]
    assert names == [
        "toy-2.9",
        "toy-2.9+slow",
        "toy-2.10",
        "toy-2.10+slow",
        "toy-3.1",
        "toy-3.1+slow",
    ]
    slow = bench.variants()[1]
    assert slow.settings == {"jit": False}
    assert (slow.origin, slow.version, slow.language) == ("here", "2.9", "toy")


def test_a_variant_of_the_users_own_family_names_its_implementation(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("mine", "3.2")
    with bench.file.open("a") as file:
        file.write('[mine]\nlike = "toy"\nsearch = ["mine"]\n[mine.variants.slow]\ndrop = true\n')
    found = {variant.name: variant for variant in bench.variants()}
    assert [(one.kin, one.implementation) for one in (found["mine-3.2"], found["toy-3.1"])] == [
        ("toy", "toy"),
        ("", "toy"),
    ]


def test_a_cpython_from_git_has_a_name_without_a_plus(bench: Bench) -> None:
    """A plus in the name of a variant begins its flags."""
    question = load_families([BUILT_IN]).families["cpython"].identify
    script = (
        "import platform, sys\n"
        "platform.python_version = lambda: '3.15.0a2+'\n"
        "platform.python_build = lambda: ('heads/main:abc', 'Nov  2 2026 10:00:00')\n"
    )
    words = [sys.executable, *question.command[1:-1], script + question.command[-1]]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    made = Candidate.at(str(bench.program("python3", said)))
    assert made is not None
    told = identify(question, made)
    assert told.facts["version"] == "3.15.0a2"
    assert told.facts["full"] == "3.15.0a2+"
    assert told.facts["built"] == "heads/main:abc Nov  2 2026 10:00:00"


def test_default_prefers_the_better_build_to_the_newer(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-2", "2.5", fast="yes")
    assert [v.name for v in bench.variants() if v.default] == ["toy-2.5"]


def test_same_program_under_many_names_is_one(bench: Bench) -> None:
    real = bench.toy("toy", "3.1")
    (bench.programs / "toy-link").symlink_to(real)
    bench.program("toy-copy", real.read_text().split("<<'END'\n")[1].split("\nEND")[0])
    assert list(states(bench)) == ["toy-3.1", "toy-3.1+slow"]


def test_two_with_one_name_are_told_apart_by_origin(bench: Bench) -> None:
    bench.toy("toy", "3.1", fast="yes", origin="debian")
    bench.toy("toy-b", "3.1", origin="pyenv")
    assert list(states(bench)) == [
        "toy-3.1",
        "toy-3.1+slow",
        "toy-3.1@pyenv",
        "toy-3.1@pyenv+slow",
    ]


def test_missing_runtime_says_how_to_have_it(bench: Bench) -> None:
    (variant,) = bench.variants()
    assert (variant.name, variant.state, variant.install) == (
        "toy",
        "missing",
        "apt-get install toy",
    )
    assert variant.hindrance == "not installed: apt-get install toy"
    # It stands for its language, so that a default experiment shows what it goes without.
    assert variant.default


def test_too_old_is_unsupported(bench: Bench) -> None:
    bench.toy("toy", "1.9")
    variant = bench.variants()[0]
    reason = "older than version 2, which this variant needs"
    assert (variant.state, variant.reason) == ("unsupported", reason)
    assert variant.hindrance == reason


@pytest.mark.parametrize(
    ("says", "then", "reason"),
    [
        ("", "sleep 60", "did not exit within"),
        ("toy 3", "exit 7", "exit status 7"),
        ("toy 3", "kill -9 $$", "signal 9"),
        ("\x01\x02 binary noise", "", "printed no version"),
        ("", "", "printed no version"),
    ],
)
def test_bad_candidate_is_unsupported_and_hides_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, says: str, then: str, reason: str
) -> None:
    if "sleep" in then:  # long enough for the others to answer on a busy machine
        monkeypatch.setattr(candidate, "IDENTIFY_LIMIT_S", 5.0)
    bench.program("toy-bad", says, then=then)
    bench.toy("toy", "3.1")
    found = bench.variants()
    bad = next(v for v in found if v.state == "unsupported")
    assert reason in bad.reason
    assert [v.name for v in found if v.state == "ready"] == ["toy-3.1", "toy-3.1+slow"]


def test_hung_candidate_leaves_no_process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate, "IDENTIFY_LIMIT_S", 3.0)
    note = bench.programs.parent / "child"
    bench.program("toy-bad", "", then=f"sleep 60 & echo $! > {note}; wait")
    bench.variants()
    child = Path("/proc", note.read_text().strip(), "stat")
    # Killed, it may still wait for a processor to die on.
    until = time.monotonic() + 10
    while child.exists() and ") Z " not in child.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_other_implementation_is_passed_over(bench: Bench) -> None:
    bench.program("toy-other", "toy 9.9")
    bench.toy("toy", "3.1")
    assert list(states(bench)) == ["toy-3.1", "toy-3.1+slow"]


def test_nothing_is_asked_twice(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-2", "2.5")
    first = bench.variants()
    assert bench.times_asked() == 2
    assert bench.variants() == first
    assert bench.times_asked() == 2
    bench.variants(refresh=True)
    assert bench.times_asked() == 4


def test_only_the_changed_one_is_asked_again(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-2", "2.5")
    bench.variants()
    replaced = bench.toy("toy", "3.22")
    os.utime(replaced, ns=(1, 1))
    assert set(states(bench)) == {"toy-2.5", "toy-2.5+slow", "toy-3.22", "toy-3.22+slow"}
    assert bench.times_asked() == 3


def test_new_one_is_noticed(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.variants()
    bench.toy("toy-4", "4.0")
    assert "toy-4.0" in states(bench)


def test_a_search_is_repeated_only_after_a_change(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "catalogue_files", lambda: [bench.file])
    searched: list[Discovery] = []

    def counted() -> tuple[Families, Discovery]:
        searched.append(bench.discover())
        return load_families([bench.file]), searched[-1]

    monkeypatch.setattr(runtime, "discovered", counted)

    def names() -> set[str]:
        return {variant.name for variant in recently_discovered()[1].variants}

    bench.toy("toy", "3.1")
    assert names() == names() == {"toy-3.1", "toy-3.1+slow"}
    assert len(searched) == 1
    time.sleep(0.02)  # further than a step of the kernel's clock of files
    bench.toy("toy-4", "4.0")
    assert "toy-4.0" in names()
    bench.file.write_text(bench.file.read_text().replace("variants.slow", "variants.quiet"))
    assert "toy-4.0+quiet" in names()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "toy-4.0" not in names()
    assert len(searched) == 4


def test_a_folder_of_path_that_cannot_be_entered_has_no_runtimes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root's folders, for example, in the PATH of a container that another user runs."""
    monkeypatch.setattr(runtime, "catalogue_files", lambda: [bench.file])
    bench.toy("toy", "3.1")
    barred = bench.programs.parent / "barred"
    real = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path.is_relative_to(barred):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setenv("PATH", f"{barred}/bin:{bench.programs}:/usr/bin:/bin")
    names = {variant.name for variant in recently_discovered()[1].variants}
    assert names == {"toy-3.1", "toy-3.1+slow"}


def test_vanished_one_becomes_missing(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    gone = bench.toy("toy-4", "4.0")
    assert states(bench)["toy-4.0"] == "ready"
    gone.unlink()
    found = {variant.name: variant for variant in bench.variants()}
    assert found["toy-4.0"].state == "missing"
    assert "no longer exists" in found["toy-4.0"].reason
    assert found["toy-4.0"].install == "apt-get install toy"
    assert found["toy-3.1"].default and not found["toy-4.0"].default
    assert "toy-4.0" not in {v.name for v in bench.variants(refresh=True)}


def test_changed_description_is_noticed(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.variants()
    bench.file.write_text(bench.file.read_text().replace("variants.slow", "variants.quiet"))
    assert "toy-3.1+quiet" in states(bench)


@pytest.mark.parametrize("place", ["bin", "private"])
def test_what_a_variant_needs_is_looked_for_each_time(bench: Bench, place: str) -> None:
    needed = (bench.programs if place == "bin" else private_folder()) / "slowness"
    bench.toy("toy", "3.1")
    bench.file.write_text(
        bench.file.read_text().replace(
            'flags = ["--slow"]',
            f'needs = ["{{{place}}}/slowness"]\ninstall = "apt-get install slow-{{major}}"',
        )
    )
    slow = bench.variants()[1]
    assert (slow.state, slow.install) == ("missing", "apt-get install slow-3")
    needed.touch()
    assert bench.variants()[1].state == "ready"
    needed.unlink()
    assert bench.variants()[1].state == "missing"
    assert bench.times_asked() == 1


def test_what_a_family_needs_every_variant_needs(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    text = bench.file.read_text()
    bench.file.write_text(text.replace("[toy]", '[toy]\nneeds = ["{bin}/toyc"]'))
    for variant in bench.variants():
        assert (variant.state, variant.install) == ("missing", "apt-get install toy")
        assert variant.reason == f"{bench.programs}/toyc is not installed"
    bench.program("toyc", "toyc 1.0")
    assert set(states(bench).values()) == {"ready"}


TOOL = """
[tools.toyc]
search = ["toyc"]
install = "apt-get install toyc"
identify = { command = ["{executable}"], patterns = { version = 'toyc (.+)' } }
"""


def test_without_a_tool_of_its_build_a_runtime_is_missing(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    text = bench.file.read_text().replace("[toy.build]", '[toy.build]\ntools = ["toyc"]')
    bench.file.write_text(text + TOOL)
    for variant in bench.variants():
        assert (variant.state, variant.reason) == ("missing", "toyc is not installed")
        assert variant.hindrance == "toyc is not installed: apt-get install toyc"
    bench.program("toyc", "toyc 1.0")
    assert set(states(bench).values()) == {"ready"}
    assert {variant.hindrance for variant in bench.variants()} == {""}


def test_torn_cache_is_made_anew(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    first = bench.variants()
    cache = bench.programs.parent / "private" / "cache" / "runtimes.json"
    cache.write_text(cache.read_text()[:50])
    assert bench.variants() == first


def test_shims_are_passed_over_and_what_they_stand_for_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = bench.programs.parent / "manager"
    bench.program("../manager/shims/toy", "", then="exit 127")
    bench.toy("../manager/versions/3.3/bin/toy", "3.3")
    monkeypatch.setenv("PATH", f"{manager}/shims:/usr/bin:/bin")
    text = bench.file.read_text()
    bench.file.write_text(text.replace('"toy-*"', '"{path}/../versions/*/bin/toy"'))
    assert list(states(bench)) == ["toy-3.3", "toy-3.3+slow"]


def test_runtime_of_a_users_own_needs_no_code(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.toy("toy", "3.1")
    monkeypatch.setenv("RUNFAIR_RUNTIMES", str(bench.file))
    assert [v.state for v in variants() if v.name == "toy-3.1"] == ["ready"]
    private = bench.programs.parent / "private"
    (private / "runtimes.toml").write_text(
        bench.file.read_text().replace("toy]", "own]").replace("[toy.", "[own.")
    )
    assert [v.state for v in variants() if v.name == "own-3.1"] == ["ready"]
    assert any(v.family == "gcc" for v in variants())


@pytest.mark.usefixtures("bench")
def test_missing_file_of_ones_own_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_RUNTIMES", "/nowhere/runtimes.toml")
    with pytest.raises(UserMistake, match=r"/nowhere/runtimes\.toml"):
        variants()


def test_selection(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-1", "1.0")
    bench.toy("toy-25", "2.5")
    among = bench.variants()

    def names(*patterns: str) -> list[str]:
        return [variant.name for variant in select(patterns, among)]

    assert names("toy-3.1+slow") == ["toy-3.1+slow"]
    assert names("default") == ["toy-3.1"]
    assert names("all") == ["toy-2.5", "toy-2.5+slow", "toy-3.1", "toy-3.1+slow"]
    assert names("toy") == names("all")
    assert names("toy-2.5", "toy-3.1+slow", "toy-2.5") == [
        "toy-2.5",
        "toy-3.1+slow",
    ]
    assert names("*+slow") == ["toy-2.5+slow", "toy-3.1+slow"]
    assert names("toy-1.0") == ["toy-1.0"]
    assert names("newest:toy-*") == names("newest:all") == ["toy-3.1", "toy-3.1+slow"]
    assert names("newest:toy-2.*") == ["toy-2.5", "toy-2.5+slow"]
    assert names("all", "!newest:toy-*") == ["toy-2.5", "toy-2.5+slow"]
    assert names("all", "!toy-2.5*") == ["toy-3.1", "toy-3.1+slow"]
    with pytest.raises(UserMistake, match=r"'toi'; similar names are .*toy"):
        names("all", "!toi")
    with pytest.raises(UserMistake, match=r"'toi-\*'; similar names are .*toy"):
        names("newest:toi-*")
    with pytest.raises(UserMistake, match=r"'toy-3.2'; similar names are .*toy-3\.1"):
        names("toy-3.2")


def test_the_newest_version_is_the_newest_installed_one(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    installed = bench.variants()
    missing = [
        one.model_copy(update={"name": f"toy-{version}", "version": version, "state": "missing"})
        for one in installed[:1]
        for version in ("3.9", "4.0")
    ]
    newest = select(["newest:toy-*"], [*installed, *missing])
    assert [one.name for one in newest] == ["toy-3.1", "toy-3.1+slow"]
    assert [one.name for one in select(["newest:toy-*"], missing)] == ["toy-4.0"]


WARM = """
import os, sys
from runfair.catalogue.runtime import variants
first = variants()
def refuse(*anything, **named):
    raise AssertionError("a process was started")
import subprocess
subprocess.Popen.__init__ = refuse
os.posix_spawn = os.fork = refuse
assert variants() == first
print(sorted(name for name in ("numpy", "scipy") if name in sys.modules))
"""


def test_one_variant_of_several_is_the_default_or_has_to_be_named(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    bench.toy("toy-25", "2.5")
    among = bench.variants()
    assert select_one("toy", among).name == "toy-3.1"
    assert select_one("toy-3.1+slow", among).name == "toy-3.1+slow"
    with pytest.raises(UserMistake) as mistake:
        select_one("toy-2.5*", among)
    assert str(mistake.value) == (
        "several variants match 'toy-2.5*': toy-2.5, toy-2.5+slow; choose one of them"
    )
    with pytest.raises(UserMistake, match="no runtime is named 'perl'"):
        select_one("perl", among)


def test_warm_cache_starts_no_process_and_imports_no_numpy(bench: Bench) -> None:
    bench.toy("toy", "3.1")
    lab = Path(__file__).parents[2]
    outcome = subprocess.run(
        [sys.executable, "-c", WARM],
        env={**os.environ, "PYTHONPATH": str(lab), "RUNFAIR_RUNTIMES": str(bench.file)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.strip() == "[]"
