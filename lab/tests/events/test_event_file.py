from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from runfair.formats.event import Event, read_events, write_events

EVENT = Event(
    source="go",
    kind="gc_pause",
    started_ns=5,
    duration_ns=7,
    stops_the_world=True,
    text="gc 1 …",
    uncertainty_ns=3,
)


def test_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    write_events(path, [EVENT, EVENT.model_copy(update={"pid": 4})])
    assert [event.pid for event in read_events(path)] == [None, 4]
    assert next(read_events(path)) == EVENT
    assert EVENT.ended_ns == 12
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("wrong", [{"kind": "nap"}, {"started_ns": -1}, {"extra": 1}])
def test_the_vocabulary_is_closed(wrong: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(
        EVENT.model_construct(**(EVENT.model_dump() | wrong)).model_dump_json(warnings=False) + "\n"
        if "extra" not in wrong
        else EVENT.model_dump_json()[:-1] + ',"extra":1}\n',
        encoding="utf-8",
    )
    with pytest.raises(ValidationError):
        list(read_events(tmp_path / "one.jsonl"))
