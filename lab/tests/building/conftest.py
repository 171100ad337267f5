"""A small program in every language, and the runtimes that are really here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import variants
from runfair.formats.variant import Variant
from runfair.paths import private_folder

PROGRAMS = Path(__file__).with_name("programs")
FOLDERS = {"c++": "cpp", "go": "go", "java": "java", "javascript": "javascript"} | {
    "python": "python",
    "rust": "rust",
}


@pytest.fixture(scope="package")
def _found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Variant]]:
    with pytest.MonkeyPatch.context() as patch:
        private = tmp_path_factory.mktemp("private")
        # Go compiles its standard library at first; its cache is by content and may be shared.
        for cache in ("go", "gccgo"):
            shared = private_folder() / cache
            shared.mkdir(parents=True, exist_ok=True)
            (private / cache).symlink_to(shared)
        patch.setenv("RUNFAIR_PRIVATE", str(private))
        patch.delenv("RUNFAIR_RUNTIMES", raising=False)
        yield variants()


@pytest.fixture
def ready_variant(
    _found: list[Variant],
) -> Callable[[str], Variant]:
    """Gives a ready variant by the end of its name and its family; skips where it is not here."""

    def ready(family: str, suffix: str = "") -> Variant:
        for variant in _found:
            own = variant.name[len(variant.runtime) + 1 :]
            if (variant.family, own, variant.state) == (family, suffix, "ready"):
                return variant
        pytest.skip(f"{family}+{suffix} is not here; ./runfair list runtimes says how to have it")

    return ready


@pytest.fixture
def program() -> Callable[[str], ProgramSource]:
    def of(language: str) -> ProgramSource:
        return ProgramSource(
            suite="suite",
            benchmark="squares",
            language=language,
            tier="standard",
            folder=PROGRAMS / "suite" / "squares" / FOLDERS[language],
            main="suite.Squares" if language == "java" else None,
            root=PROGRAMS,
        )

    return of
