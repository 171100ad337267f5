"""The lines of `./runfair list`."""

from __future__ import annotations

import pytest

from experiment.plans import variant
from experiment.service_plans import known
from runfair.cli import listing
from runfair.cli.listing import Kind, list_
from runfair.formats.variant import LISTING


def test_a_runtime_is_listed_with_who_built_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = variant("mine")
    found = [
        mine.model_copy(update={"origin": "Debian", "default": True}),
        mine.model_copy(update={"origin": "pyenv"}),
        mine.model_copy(update={"origin": ""}),
        mine.model_copy(update={"state": "missing", "reason": "not installed"}),
    ]
    monkeypatch.setattr(listing, "variants", lambda **_: found)
    list_(Kind.runtimes, json=True)
    assert [one.detail for one in LISTING.validate_json(capsys.readouterr().out)] == [
        "/bin/true  (Debian, default)",
        "/bin/true  (pyenv)",
        "/bin/true",
        "not installed",
    ]


@pytest.mark.parametrize(("version", "state"), [("18.0.0", "missing"), ("99.0.0", "ready")])
def test_the_programs_of_services_are_listed_too(
    version: str, state: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = known(f"node-{version}", "node", "javascript", version)
    monkeypatch.setattr(listing, "variants", lambda: [node])
    list_(Kind.benchmarks, json=True)
    (fastify,) = [
        one
        for one in LISTING.validate_json(capsys.readouterr().out)
        if one.detail.startswith("services, service fastify: One server")
    ]
    assert (fastify.name, fastify.language, fastify.state) == ("payments", "javascript", state)
