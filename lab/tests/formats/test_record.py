"""Rows are small, immutable, and as strict as records."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evidence.honest_run import honest_run
from runfair.formats.execution import Execution

RECORD = honest_run().executions[0]


def test_a_row_is_read_as_it_was_written() -> None:
    text = RECORD.model_dump_json()
    assert Execution.model_validate_json(text.encode()) == RECORD
    assert list(Execution.__dataclass_fields__)[:3] == ["schema_version", "id", "planned"]
    assert text.startswith('{"schema_version":1,"id":')


def test_a_row_has_no_dictionary_and_does_not_change() -> None:
    for one in (RECORD, RECORD.launch, RECORD.start, RECORD.outcome, RECORD.place):
        assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        RECORD.block = 2  # type: ignore[misc]


def test_a_copy_differs_in_what_was_asked_alone() -> None:
    copied = RECORD.model_copy(update={"block": 99})
    assert (copied.block, RECORD.block) == (99, 1)
    assert copied.launch is RECORD.launch
    assert copied.model_copy(update={"block": RECORD.block}) == RECORD


def test_an_unknown_key_and_a_wrong_value_are_refused() -> None:
    text = RECORD.model_dump_json().encode()
    for wrong in (b'{"surplus":1,' + text[1:], text.replace(b'"block":1', b'"block":"x"')):
        with pytest.raises(ValidationError):
            Execution.model_validate_json(wrong)
