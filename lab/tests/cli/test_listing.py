"""The lines of `./runfair list`."""

from __future__ import annotations

import pytest

from experiment.plans import variant
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
