"""Steps for the measuring relay, a Rust crate beside the load generator: linted and tested."""

from __future__ import annotations

from checking.cargo import cargo_test, lint_crate, shared_target
from checking.step import Step, Words, command
from checking.toolchain import Toolchain, toolchain
from runfair.loading.generator import minimum_rust
from runfair.serving.relay import RELAY


def format_relay(mode: list[str]) -> Step:
    rustfmt = _rust().part("cargo-fmt", "apt-get install rustfmt")
    run: Words = [rustfmt.path.with_name("cargo"), "fmt", *mode]
    return command("format the relay", run, needs=rustfmt, directory=RELAY)


def lint_relay() -> Step:
    return lint_crate("lint the relay", _rust(), RELAY)


def build_relay_tests() -> Step:
    """Builds the programs that `test_relay` runs."""
    cargo = _rust().part("cargo", "apt-get install cargo")
    return command(
        "build the tests of the relay",
        [cargo.path, "test", "--locked", "--quiet", "--no-run"],
        needs=cargo,
        directory=RELAY,
        environment=shared_target(),
    )


def test_relay() -> Step:
    """Runs unit tests, property tests, and tests of the whole executable."""
    return cargo_test(
        "tests of the relay",
        "--locked",
        needs=_rust().part("cargo", "apt-get install cargo"),
        directory=RELAY,
        environment=shared_target(),
    )


def _rust() -> Toolchain:
    return toolchain("rust", minimum_rust(RELAY))
