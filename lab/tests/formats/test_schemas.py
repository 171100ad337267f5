"""The committed schemas are those of the records, and hold what is really written."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from experiment.plans import cell, execution, plan
from formats.test_transcript import END_LINES, START, iteration
from runfair.experiment.order import planned_executions
from runfair.formats.machines import Machines, Needs, RunMachines
from runfair.formats.schemas import schemas, text
from runfair.paths import SCHEMAS

MADE = schemas()


def test_the_committed_schemas_are_fresh() -> None:
    committed = {path.name: path.read_text() for path in SCHEMAS.glob("*.json")}
    assert committed == {name: text(schema) for name, schema in MADE.items()}


@pytest.mark.parametrize("name", sorted(MADE))
def test_each_is_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(MADE[name])


def test_what_is_written_fits_its_schema() -> None:
    cells = [cell()]
    whole = plan(cells, planned_executions(cells, executions=2, pilots=0, seed=1))
    validate("experiment", json.loads(whole.model_dump_json()))
    validate("execution", json.loads(execution(whole.executions[0]).model_dump_json()))
    machines = Machines(engine="slurm", partition="p", roles={"service": Needs()})
    validate("fleet", json.loads(RunMachines(machines=machines).model_dump_json()))
    for line in (START, iteration(0), *END_LINES):
        validate("program", line)


def test_what_is_not_of_the_contract_does_not_fit() -> None:
    for wrong in ({**START, "contract": 3}, {**iteration(0), "digest": "?"}, {"event": "x"}):
        with pytest.raises(ValidationError):
            validate("program", wrong)


def validate(name: str, instance: object) -> None:
    schema = MADE[f"{name}.schema.json"]
    Draft202012Validator(schema).validate(instance)
