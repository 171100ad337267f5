"""The pages name every key of an experiment's file, and what each profile comes to."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from runfair.catalogue.experiment import Experiment, Measure, Serve
from runfair.catalogue.own_service import OwnService
from runfair.catalogue.peak import PeakText
from runfair.catalogue.profile import PROFILES, ProfileText
from runfair.paths import REPOSITORY

EXPERIMENTS = (REPOSITORY / "docs" / "experiments.md").read_text(encoding="utf-8")
SERVICES = (REPOSITORY / "docs" / "services.md").read_text(encoding="utf-8")
WEB = (REPOSITORY / "docs" / "web.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("record", "page"),
    [
        (Experiment, EXPERIMENTS),
        (Measure, EXPERIMENTS),
        (ProfileText, EXPERIMENTS),
        (Serve, SERVICES),
        (OwnService, SERVICES),
        (PeakText, WEB),
    ],
)
def test_every_key_is_named(record: type[BaseModel], page: str) -> None:
    named = set(re.findall(r"`\[*(\w+)[\].=A-Z]*`", page))
    assert set(record.model_fields) - named == set()


def test_the_profiles_are_what_the_page_says() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in EXPERIMENTS.splitlines()]
    (header,) = [row for row in rows if row and row[0].startswith("key of `[profiles")]
    assert [name.strip("`") for name in header[1:]] == list(PROFILES)
    said = {row[0].split("`")[1]: row[1:] for row in rows[rows.index(header) + 2 :] if row}
    for name, told in said.items():
        meant = [
            profile.size if name == "size" else f"{getattr(profile.effort, name):g}"
            for profile in PROFILES.values()
        ]
        assert told == meant, name
    assert set(said) == set(ProfileText.model_fields) - {"variants"}


def test_the_requests_on_the_page_are_requests() -> None:
    schema = json.loads((REPOSITORY / "loadgen/schemas/traffic.schema.json").read_bytes())
    (block,) = re.findall(r"```json\n(\{\"path.*?)```", SERVICES, re.DOTALL)
    for line in block.splitlines():
        Draft202012Validator(schema).validate(json.loads(line))
