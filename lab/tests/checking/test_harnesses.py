"""The step that holds a harness against the test vectors."""

from __future__ import annotations

import sys
from pathlib import Path

from checking.harnesses import VECTORS, crates_with_tests, vectors
from checking.step import Counted

ECHO = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"]


def test_the_right_answers_pass() -> None:
    assert vectors("echo", ECHO).run() == Counted(passed=1)


def test_a_wrong_answer_fails() -> None:
    wrong = VECTORS.read_text(encoding="utf-8").splitlines()[0]
    forging = ["-c", f"import sys; print(sys.stdin.read().replace({wrong!r}, 'wrong'), end='')"]
    assert vectors("forger", [sys.executable, *forging]).run() == Counted(failed=1)


def test_too_few_answers_or_a_bad_status_fail() -> None:
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    assert vectors("silent", silent).run() == Counted(failed=1)
    ending = [*ECHO[:2], f"{ECHO[2]}; sys.exit(1)"]
    assert vectors("ending", ending).run() == Counted(failed=1)


def test_only_crates_with_tests_are_tested(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["*"]\n')
    texts = {
        "bare": "fn main() {}\n",
        "asynchronous": '#[tokio::test(flavor = "current_thread")]\nasync fn holds() {}\n',
        "tested": "#[test]\nfn holds() {}\n",
    }
    for name, text in texts.items():
        folder = tmp_path / name
        (folder / "src").mkdir(parents=True)
        (folder / "Cargo.toml").write_text(f'[package]\nname = "crate-{name}"\n')
        (folder / "src" / "main.rs").write_text(text)
    assert crates_with_tests(tmp_path) == ["crate-asynchronous", "crate-tested"]
