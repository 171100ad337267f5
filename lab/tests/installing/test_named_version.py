"""A version that an experiment names is a missing variant if it is not installed."""

from __future__ import annotations

import pytest

from runfair.formats.variant import Variant
from runfair.installing.named_version import not_installed


def ready(name: str) -> Variant:
    runtime = name.partition("+")[0]
    family, _, version = runtime.partition("-")
    return Variant(
        name=name,
        runtime=runtime,
        family=family,
        version=version,
        language=family,
        origin="test",
        state="ready",
        executable="/bin/true",
    )


HERE = [ready(name) for name in ("go-1.26.8", "node-20.20.2", "temurin-25+g1-gc", "gccgo-12")]


@pytest.mark.parametrize(
    ("pattern", "name", "hindrance"),
    [
        ("go-1.13.15", "go-1.13.15", "not installed: ./runfair install go-1.13.15"),
        ("node-18.*", "node-18.x", "not installed: ./runfair install node-18"),
        ("temurin-21+g1-gc", "temurin-21+g1-gc", "not installed: ./runfair install temurin-21"),
        ("gccgo-8", "gccgo-8", "not installed"),
    ],
)
def test_a_named_version_is_missing(pattern: str, name: str, hindrance: str) -> None:
    (missing,) = not_installed([pattern], HERE)
    assert (missing.name, missing.state, missing.hindrance) == (name, "missing", hindrance)


@pytest.mark.parametrize(
    "pattern",
    [
        "go-1.26.8",
        "node-20.*",
        "temurin-25",
        "default",
        "go-*",
        "newest:go-*",
        "!go-1.13.15",
        "gogo-1.13.15",
    ],
)
def test_other_patterns_name_no_missing_version(pattern: str) -> None:
    assert not_installed([pattern], HERE) == []
