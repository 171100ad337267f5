from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conversation import Site
from .programs import Program, Running, program_of, standard_languages


@pytest.fixture(scope="session")
def site() -> Site:
    return Site()


@pytest.fixture(scope="session")
def folder(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the option `input` names, with the files of the cases."""
    return site.make(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module", params=standard_languages())
def program(request: pytest.FixtureRequest) -> Program:
    return program_of(str(request.param))


@pytest.fixture(scope="module")
def running(
    program: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    said = tmp_path_factory.mktemp("running") / "said"
    with program.serving(folder, said, seed=7) as running:
        yield running
