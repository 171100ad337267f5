"""The language's own conformance suite, run through its command line.

Test modules (`tests/*Tests.ns`) are run by the library's TestRunner. The first comment of each
program in `tests/snippets` states its output and its exit status.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMAND = HERE / "newspeak"
RUNNER = HERE / "library" / "TestRunner.ns"
SUITES = sorted(path.name for path in (HERE / "tests").glob("*Tests.ns"))
SNIPPETS = sorted(path.name for path in (HERE / "tests" / "snippets").glob("*.ns"))
LIMIT_S = 600  # ends a command that hangs; on a busy machine the slowest takes minutes
TURN_LIMIT_S = 120  # a program that a bug should have ended is waited for so long
INTERPRETED = "-Dpolyglot.engine.Compilation=false"
COMPILED = (
    "-Dpolyglot.engine.BackgroundCompilation=false"
    " -Dpolyglot.engine.FirstTierCompilationThreshold=20"
    " -Dpolyglot.engine.LastTierCompilationThreshold=60"
    " -Dpolyglot.engine.CompilationFailureAction=Throw"
)


def run(
    words: Sequence[str | Path], flags: str = "", limit_s: float = LIMIT_S
) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end, with these flags of the JVM after the tests' own. If the suite
    hangs, the test fails."""
    flags = f"{os.environ.get('NEWSPEAK_JAVA_FLAGS', '')} {flags}"
    return subprocess.run(
        [COMMAND, *words],
        env={**os.environ, "NEWSPEAK_JAVA_FLAGS": flags},
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )


def test_the_compiler_is_active(version: str) -> None:
    assert "GraalVM" in version


def test_the_compiler_is_active_in_the_jvm_of_the_tests() -> None:
    done = run(["--version"], "-XX:+PrintCommandLineFlags")
    assert "GraalVM" in done.stdout
    assert {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} <= set(done.stdout.split())


@pytest.mark.usefixtures("default_jvm")
def test_graal_is_compiled_by_c1_alone() -> None:
    flags = f"{COMPILED} -XX:+PrintCompilation"
    done = run([HERE / "tests" / "snippets" / "Hello.ns"], flags)
    # Number, time, attributes, level and method of each compilation: level 4 is C2.
    levels = re.findall(r"^ *\d+ +\d+ .{5,10} ([1-4]) +jdk\.graal\.", done.stdout, re.MULTILINE)
    assert len(levels) > 50
    assert set(levels) <= {"1", "2", "3"}
    assert "made not compilable on level 4  jdk.graal." in done.stdout


@pytest.mark.usefixtures("default_jvm")
def test_messages_to_a_promise_keep_their_order_while_it_is_resolved() -> None:
    done = run(["-t", "4", HERE / "tests" / "Order.ns"])
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_actors_that_answer_each_other_without_end_let_a_timer_in() -> None:
    done = run(["-t", "1", HERE / "tests" / "Outside.ns"], limit_s=TURN_LIMIT_S)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.usefixtures("default_jvm")
@pytest.mark.parametrize(("threads", "began"), [("1", "false"), ("2", "true")])
def test_an_idle_thread_takes_the_actor_that_waits_for_a_long_turn(
    threads: str, began: str
) -> None:
    for turn_s in ("1", "10", "60"):  # a busy machine may leave the other thread no processor
        done = run(["-t", threads, HERE / "tests" / "LongTurn.ns", turn_s])
        if done.stdout == began + "\n":
            break
    assert (done.returncode, done.stdout) == (0, began + "\n"), done.stderr


@pytest.mark.parametrize(("options", "said"), [(["-t", "3"], "3\n"), (["--seed", "1"], "1\n")])
def test_a_program_knows_how_many_threads_run_actors(options: list[str], said: str) -> None:
    done = run([*options, HERE / "tests" / "Threads.ns"])
    assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_without_the_compiler_programs_are_interpreted() -> None:
    done = run(
        [HERE / "tests" / "snippets" / "Hello.ns"],
        "-Dtruffle.UseFallbackRuntime=true",
    )
    assert (done.returncode, done.stdout) == (0, "hi\n1\n")
    assert "interpreted" in done.stderr


def passed(output: str) -> int:
    """The number of tests that a run of the TestRunner counted. All of them must be successful."""
    total = re.search(r"^Total Number of Tests: {6}(\d+)$", output, re.MULTILINE)
    good = re.search(r"^Number of Successful Tests: (\d+)$", output, re.MULTILINE)
    assert total and good, output
    assert total[1] == good[1], output
    return int(total[1])


def number_of_tests(suite: Path) -> int:
    """The number of tests of a suite: those of its contexts."""
    tests = suite.read_text(encoding="utf-8").count("\n    public test")
    assert tests
    return tests


@pytest.mark.usefixtures("default_jvm")
def test_actors_in_the_jvm_that_users_have() -> None:
    """Its optimising compiler may reorder the accesses to memory that threads share."""
    suite = HERE / "tests" / "ActorTests.ns"
    done = run([RUNNER, suite])
    assert passed(done.stdout + done.stderr) == number_of_tests(suite)
    assert done.returncode == 0


@pytest.mark.parametrize("suite", [name for name in SUITES if name != "ActorTests.ns"])
def test_suite(suite: str) -> None:
    done = run([RUNNER, HERE / "tests" / suite])
    assert passed(done.stdout + done.stderr) > 0
    assert done.returncode == 0


@pytest.mark.parametrize("mode", [INTERPRETED, COMPILED], ids=["interpreted", "compiled"])
def test_classes_in_other_modes(mode: str) -> None:
    """The suites share a JVM, which compiles the runner and the library once for all of them."""
    names = "Block Class ObjectLiteral Slot Library Threading"
    suites = [HERE / "tests" / f"{name}Tests.ns" for name in names.split()]
    done = run([RUNNER, *suites], mode)
    assert passed(done.stdout + done.stderr) == sum(map(number_of_tests, suites))
    assert done.returncode == 0


def test_one_context_and_one_test() -> None:
    suite = HERE / "tests" / "NumberTests.ns"
    context = passed(run([RUNNER, suite, "IntegerTests"]).stdout)
    assert 1 < context < passed(run([RUNNER, suite]).stdout)
    assert passed(run([RUNNER, suite, "IntegerTests.testBits"]).stdout) == 1


def test_several_suites_and_a_selection() -> None:
    suites = [HERE / "tests" / name for name in ("NumberTests.ns", "TextTests.ns")]
    each = [passed(run([RUNNER, suite]).stdout) for suite in suites]
    assert passed(run([RUNNER, *suites]).stdout) == sum(each)
    assert passed(run([RUNNER, *suites, "IntegerTests.testBits"]).stdout) == 1


@pytest.mark.parametrize("words", [["Nothing"], ["IntegerTests.testNothing"], ["A", "B"]])
def test_a_selection_without_tests_is_an_error(words: list[str]) -> None:
    done = run([RUNNER, HERE / "tests" / "NumberTests.ns", *words])
    assert done.returncode == 1
    assert words[-1] in done.stderr


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet(snippet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A program that runs for a moment gains nothing from Graal.
    flags = INTERPRETED
    if snippet == "DeepRecursion.ns":  # the depth of a stack depends on compilers
        monkeypatch.delenv("NEWSPEAK_JAVA_FLAGS")
        flags = ""
    path = HERE / "tests" / "snippets" / snippet
    header = path.read_text(encoding="utf-8").split("*)", 1)[0].removeprefix("(*")
    wanted = re.findall(r"^\s*(selector|status|stdout|stderr): ?(.*?)\s*$", header, re.MULTILINE)
    selector = [text for kind, text in wanted if kind == "selector"]
    words = ["--platform", path, "--selector", selector[0]] if selector else [path]
    done = run(words, flags)
    lines = [text for kind, text in wanted if kind == "stdout"]
    assert done.stdout.splitlines() == lines
    complaints = [text for kind, text in wanted if kind == "stderr"]
    for text in complaints:
        assert text in done.stderr
    if not complaints:
        assert done.stderr == ""
    assert done.returncode == int(next(text for kind, text in wanted if kind == "status"))


@pytest.mark.usefixtures("interpreted")
def test_a_broken_promise_is_reported_once() -> None:
    done = run([HERE / "tests" / "snippets" / "UnheardSend.ns"])
    assert done.stderr.count("nobody listens to it") == 2, done.stderr


@pytest.mark.parametrize("name", ["Sieve", "Permute", "Queens", "Towers", "List", "Storage"])
def test_benchmark(name: str) -> None:
    done = run([HERE / "library" / "Harness.ns", f"../benchmarks/Sequential.{name}", "1", "0", "1"])
    assert done.stdout.startswith(f"Starting Sequential.{name} benchmark ...\n")
    assert re.search(
        rf"^Sequential.{name}: iterations=1 runtime: \d+us$", done.stdout, re.MULTILINE
    )
    assert re.search(r"^Total Runtime: \d+us$", done.stdout, re.MULTILINE)
    assert done.returncode == 0


@pytest.mark.parametrize("name", ["PingPong", "Counting"])
def test_asynchronous_benchmark(name: str) -> None:
    harness = HERE / "library" / "AsyncHarness.ns"
    done = run([harness, f"../benchmarks/Messages.{name}", "2", "1", "100"])
    assert len(re.findall(r"iterations=1 runtime: \d+us$", done.stdout, re.MULTILINE)) == 2
    assert done.returncode == 0


def test_each_iteration_has_its_own_asynchronous_benchmark(tmp_path: Path) -> None:
    module = tmp_path / "Once.ns"
    module.write_text(
        """class Once usingPlatform: p andHarness: harness = Value (|
  private actors = p actors.
  private Benchmark = harness Benchmark.
  private Random = harness Random.
  private JenkinsRandom = harness JenkinsRandom.
|)(
  class Task = Benchmark (| private pair = actors createPromisePair. private used ::= false. |)(
    public benchmark = (
      used ifTrue: [ self error: 'used twice' ].
      used:: true.
      pair resolve: Random new next + (JenkinsRandom new: 49734321) next.
      ^ pair promise
    )
    public verifyResult: sum = ( ^ self assert: 22896 + -1345591281 equals: sum )
  )
  public newInstance: size = ( ^ Task new )
)
""",
        encoding="utf-8",
    )
    harness = HERE / "library" / "AsyncHarness.ns"
    done = run([harness, os.path.relpath(tmp_path / "Once", harness.parent), "3", "2"])
    assert len(re.findall(r"iterations=1 runtime: \d+us$", done.stdout, re.MULTILINE)) == 3
    assert done.returncode == 0, done.stdout


def test_a_wrong_result_is_an_error(tmp_path: Path) -> None:
    module = tmp_path / "Wrong.ns"
    module.write_text(
        """class Wrong usingPlatform: p andHarness: harness = (|
  private Benchmark = harness Benchmark.
|)(
  class Liar = Benchmark ()(
    public benchmark = ( ^ 1 )
    public verifyResult: result = ( ^ result = 2 )
  )
  public newInstance = ( ^ Liar new )
)
""",
        encoding="utf-8",
    )
    done = run([HERE / "library" / "Harness.ns", module, "1", "0", "1"])
    assert "ERROR:" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("options", [[], ["--seed", "1"]], ids=["threads", "seeded"])
def test_a_bug_in_a_turn_ends_the_program(tmp_path: Path, options: list[str]) -> None:
    """The kernel of this test requests a primitive that the implementation does not have."""
    kernel = tmp_path / "Kernel.ns"
    text = (HERE / "library" / "Kernel.ns").read_text(encoding="utf-8")
    method = "public yourself = ( ^ self )"
    assert text.count(method) == 1
    kernel.write_text(text.replace(method, f"{method} public bug = ( vm missing )"))
    program = tmp_path / "Bug.ns"
    program.write_text(
        """class Bug usingPlatform: p = Value (| private actors = p actors. |)(
  class Remote = Value ()()
  public main: args = ( ^ (actors createActorFromValue: Remote) <-: bug )
)
""",
        encoding="utf-8",
    )
    done = run([*options, "--kernel", kernel, program], limit_s=TURN_LIMIT_S)
    assert done.returncode == 2
    assert "IllegalStateException: there is no primitive missing" in done.stderr
    assert re.search(
        r"^\s+at .*newspeak\.primitives\.Primitives\.node\(", done.stderr, re.MULTILINE
    )


def test_an_option_that_does_not_exist() -> None:
    done = run(["--nothing", "x"])
    assert done.returncode == 1
    assert "usage" in done.stderr


@pytest.mark.parametrize("option", [[], ["--platform"], ["--kernel"]])
def test_unknown_file(option: list[str], tmp_path: Path) -> None:
    program = [HERE / "tests" / "snippets" / "Hello.ns"] if option else []
    done = run([*option, tmp_path / "Nothing.ns", *program])
    assert done.returncode == 1
    assert done.stderr == f"There is no readable file {tmp_path / 'Nothing.ns'}\n"


def test_a_platform_outside_the_library(tmp_path: Path) -> None:
    platform = tmp_path / "Platform.ns"
    text = (RUNNER.parent / "Platform.ns").read_text(encoding="utf-8")
    member = "  public kernel = "
    assert text.count(member) == 1
    platform.write_text(text.replace(member, f"  public answer = ( ^ 42 )\n{member}"))
    program = tmp_path / "Asking.ns"
    program.write_text(
        "class Asking usingPlatform: p = Value (| private platform = p. |)(\n"
        "  public main: args = ( platform system exit: platform answer )\n)\n"
    )
    done = run(["--platform", platform, program])
    assert (done.returncode, done.stderr) == (42, "")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    program = tmp_path / "Binary.ns"
    program.write_bytes(b"class Binary = ()()\xff")
    done = run([program])
    assert done.returncode == 1
    assert done.stderr == f"{program} is not text in UTF-8\n"


def test_a_failing_test_is_reported(tmp_path: Path) -> None:
    suite = tmp_path / "FailingTests.ns"
    suite.write_text(
        """class FailingTests usingPlatform: p testFramework: m = Value (|
  private TestContext = m TestContext.
|)(
  public class C = TestContext ()(
    public testFails = ( self assert: 1 equals: 2 )
    public testErrs = ( self foo )
    public testAsyncSucceeds = ( ^ self <-: value )
  ) : ( TEST_CONTEXT = () )
)
""",
        encoding="utf-8",
    )
    done = run([RUNNER, suite])
    assert done.returncode == 1
    assert done.stdout == (
        "Errors\nC>>#testErrs\n\tMessageNotUnderstood(C>>#foo)\n\n"
        "Failures\nC>>#testFails\n\texpected 2, but was 1\n\n"
        "Total Number of Tests:      3\nNumber of Successful Tests: 1\n"
    )


def test_a_suite_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(RUNNER.parent, library)
    (library / "ImpossibleTests.ns").write_text(
        """class ImpossibleTests usingPlatform: p testFramework: m = Value (|
  private missing = p missing.
|)()
""",
        encoding="utf-8",
    )
    (library / "PossibleTests.ns").write_text(
        """class PossibleTests usingPlatform: p testFramework: m = Value (|
  private TestContext = m TestContext.
|)(
  public class C = TestContext ()( public testSucceeds = () ) : ( TEST_CONTEXT = () )
)
""",
        encoding="utf-8",
    )
    # The JVM uses the last value of a property.
    done = run([library / "TestRunner.ns"], f"-Dnewspeak.library={library}")
    assert done.stdout == (
        "Errors\nImpossibleTests\n\tMessageNotUnderstood(Platform>>#missing)\n\n"
        "Total Number of Tests:      2\nNumber of Successful Tests: 1\n"
    )
    assert done.returncode == 1


def test_a_staged_implementation_compiles_for_whoever_may_only_read_it(tmp_path: Path) -> None:
    """The lab runs programs as a user without a home: Truffle's library must be there already."""
    done = run(["--stage", tmp_path / "staged"])
    assert done.returncode == 0, done.stderr
    cache = tmp_path / "staged" / "cache"
    (library,) = cache.rglob("libtruffleattach.so")
    for each in (library, *(one for one in library.parents if cache in (one, *one.parents))):
        wanted = 0o4 if each == library else 0o5
        assert each.stat().st_mode & wanted == wanted, each
