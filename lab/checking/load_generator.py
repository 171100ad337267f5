"""Steps for the load generator and the relay, whose Rust crates are one Cargo workspace: they are
formatted, linted and tested, and the load generator is fuzzed."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from checking.cargo import cargo_test, clippy, shared_target
from checking.step import Step, Words, command
from checking.toolchain import Toolchain, nightly_rust, toolchain
from runfair.errors import UserMistake
from runfair.loading.generator import LOADGEN, minimum_rust
from runfair.paths import private_folder

FUZZ = LOADGEN / "fuzz"
FUZZER = "cargo-fuzz"
FUZZER_VERSION = "0.13.2"
FUZZING_S = 60
# The load generator and the crate with its system calls, without the relay.
WITH_SYSTEM_CALLS = ("--package", "runfair-load", "--package", "runfair-measuring")
# With link-time optimisation each test program would be optimised as a whole, which takes three
# times as long.
QUICKLY_COMPILED = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}


def format_load_generator(mode: list[str]) -> Step:
    rustfmt = _rust().part("cargo-fmt", "apt-get install rustfmt")
    cargo = rustfmt.path.with_name("cargo")
    manifests = [folder / "Cargo.toml" for folder in (LOADGEN, FUZZ)]
    runs: list[Words] = [
        [cargo, "fmt", "--all", "--manifest-path", manifest, *mode]
        for manifest in manifests
        if manifest.exists()
    ]
    return command("format the load generator and the relay", *runs, needs=rustfmt)


def lint_load_generator(*, tests: bool) -> Step:
    """Lints the crates and builds their documentation, which finds broken links; or lints their
    tests, for which clippy checks some eighty more libraries.
    """
    tool = _rust().part("cargo-clippy", "apt-get install rust-clippy")
    cargo = tool.path.with_name("cargo")
    code: Words = [cargo, *clippy("--workspace")]
    documents: Words = [cargo, "doc", "--quiet", "--workspace", "--no-deps", "--locked"]
    of_tests: Words = [cargo, *clippy("--workspace", "--all-targets")]
    what = "the tests of the load generator" if tests else "the load generator"
    return command(
        f"lint {what} and the relay",
        *([of_tests] if tests else [code, documents]),
        needs=tool,
        directory=LOADGEN,
        environment={**shared_target(), "RUSTDOCFLAGS": "-D warnings"},
    )


def build_load_generator_tests() -> Step:
    """Builds the programs that `test_load_generator` runs."""
    cargo = _rust().part("cargo", "apt-get install cargo")
    return command(
        "build the tests of the load generator and the relay",
        [cargo.path, "test", "--workspace", "--locked", "--quiet", "--no-run"],
        needs=cargo,
        directory=LOADGEN,
        environment=shared_target(),
    )


def test_load_generator() -> Step:
    """Runs unit tests, property tests, tests of the whole executable, and the stored inputs of the
    fuzzers. The code is not optimised, because it then compiles in a third of the time; overflow is
    checked.
    """
    return cargo_test(
        "tests of the load generator and the relay",
        *("--workspace", "--locked"),
        needs=_rust().part("cargo", "apt-get install cargo"),
        directory=LOADGEN,
        environment=shared_target(),
    )


def test_optimised_load_generator() -> Step:
    """Runs the same tests with the optimisation of the executable."""
    return cargo_test(
        "tests of the optimised load generator",
        *("--release", *WITH_SYSTEM_CALLS, "--locked"),
        needs=_rust().part("cargo", "apt-get install cargo"),
        directory=LOADGEN,
        environment={**shared_target(), **QUICKLY_COMPILED},
    )


def fuzzing() -> Iterator[Step]:
    """Runs each fuzzer for a minute, starting from its stored inputs. New inputs are kept in the
    private folder.
    """
    fuzzer = _fuzzer()
    for target in fuzz_targets():
        found = private_folder() / "check" / "loadgen" / "fuzz" / target
        corpus, artifacts = found / "corpus", found / "artifacts"
        for folder in (corpus, artifacts):
            folder.mkdir(parents=True, exist_ok=True)
        yield command(
            f"fuzz {target}",
            [
                *(fuzzer.path, "run", "--fuzz-dir", FUZZ),
                *("--target-dir", private_folder() / "check" / "loadgen" / "fuzzers"),
                *(target, corpus, FUZZ / "corpus" / target),
                *("--", f"-max_total_time={FUZZING_S}", f"-artifact_prefix={artifacts}/"),
            ],
            needs=fuzzer,
            directory=LOADGEN,
        )


def fuzz_targets() -> list[str]:
    """The fuzzers' names, from their Cargo.toml."""
    manifest = FUZZ / "Cargo.toml"
    if not manifest.exists():
        return []
    content = tomllib.loads(manifest.read_text(encoding="utf-8"))
    return [program["name"] for program in content["bin"]]


def sanitizing_load_generator() -> Iterator[Step]:
    """Runs the tests again, unoptimised, under the address sanitizer and the thread sanitizer.

    The thread sanitizer needs an instrumented standard library; otherwise it reports the library's
    locking as races. The step therefore runs only if the library's sources are installed.
    """
    rust = nightly_rust()
    cargo = rust.part("cargo", rust.install)
    yield _sanitized("address", cargo, _host(rust))
    if cargo.executable is not None and not _has_sources(rust):
        advice = "rustup component add rust-src --toolchain nightly"
        cargo = Toolchain("rust-src", None, advice, cargo.environment)
    yield _sanitized("thread", cargo, _host(rust), "-Zbuild-std")


def _sanitized(sanitizer: str, cargo: Toolchain, host: str, *words: str) -> Step:
    # With an explicit target, compiler plugins are built without the sanitizer; otherwise the
    # compiler could not load them.
    return cargo_test(
        f"load generator under the {sanitizer} sanitizer",
        *(*WITH_SYSTEM_CALLS, "--locked", "--tests", "--target", host, *words),
        needs=cargo,
        directory=LOADGEN,
        environment={**_target(sanitizer), "RUSTFLAGS": f"-Zsanitizer={sanitizer}"},
    )


def _target(name: str) -> dict[str, str]:
    return {"CARGO_TARGET_DIR": str(private_folder() / "check" / "loadgen" / name)}


def _has_sources(rust: Toolchain) -> bool:
    return (rust.path.parents[1] / "lib/rustlib/src/rust/library/Cargo.lock").exists()


def _host(rust: Toolchain) -> str:
    """This machine's target name, as the compiler reports it."""
    if rust.executable is None:
        return ""
    asked = subprocess.run(
        [rust.path, "--print", "host-tuple"],
        env=rust.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return asked.stdout.strip()


def install_fuzzer() -> None:
    """Puts cargo-fuzz into the private folder. Raises UserMistake if that fails."""
    cargo = nightly_rust().part("cargo", "rustup toolchain install nightly")
    if cargo.executable is None:
        raise UserMistake(f"no fuzzing: {cargo.missing}")
    if _fuzzer().executable is not None:
        return
    words = ["install", "--quiet", "--locked", FUZZER, "--version", FUZZER_VERSION]
    outcome = subprocess.run(
        [cargo.path, *words, "--root", _fuzzer_folder()],
        env=cargo.environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if outcome.returncode != 0:
        raise UserMistake(f"{FUZZER} could not be installed: is a package registry reachable?")


def _rust() -> Toolchain:
    return toolchain("rust", minimum_rust())


def _fuzzer() -> Toolchain:
    """cargo-fuzz with a nightly Rust. If one of the two is missing, the missing tool."""
    rust = nightly_rust()
    if rust.executable is None:
        return rust
    own = _fuzzer_folder() / "bin" / FUZZER
    found = shutil.which(own) or shutil.which(FUZZER)
    path = Path(found) if found else None
    return Toolchain(FUZZER, path, "./check --install --long", rust.environment)


def _fuzzer_folder() -> Path:
    return private_folder() / FUZZER
