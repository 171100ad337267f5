"""What a pass makes of what the load generator tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from runfair.formats.load_result import LoadResult, SenderThread
from runfair.loading.load import Load
from runfair.serving import driven_executor
from runfair.serving.driven_executor import Passes
from runfair.serving.instance import Instance, ServiceFailed
from runfair.serving.pass_client import Client, PassFailed
from runfair.serving.process_accounting import TreeAccounting
from simulated import service_load
from simulated.requests import arrivals, frozen

TRUTH = service_load.Load(
    frozen(arrivals(1000, 1), arrivals(1000, 1) * 0 + 2_000_000),
    1000.0,
)
ASKED = len(TRUTH.requests.kind)


LOAD = Load(url="redis://127.0.0.1:1", closed=True, requests=ASKED, connections=1)


def over(instance: object, raw: Path) -> Passes:
    return Passes(
        generator=raw,
        instance=cast(Instance, instance),
        client=cast(Client, None),
        tree=cast(TreeAccounting, None),
        processors=[0],
        raw=raw,
    )


THREAD = SenderThread(cpu_share=0.1, spin_share=0.0, run_queue_share=None, processor=None)


class Told:
    """A load that ended with this result."""

    def __init__(self, **requests: int) -> None:
        whole = TRUTH.result
        self._result = whole.model_copy(
            update={
                "requests": whole.requests.model_copy(update=requests),
                "generator": whole.generator.model_copy(update={"threads": [THREAD]}),
            }
        )

    def __iter__(self) -> Iterator[SimpleNamespace]:
        return iter(())

    def result(self) -> LoadResult:
        return self._result


class Alive:
    def require_alive(self) -> None:
        """It is."""


@pytest.mark.parametrize(
    ("requests", "reason"),
    [
        ({"checked": ASKED - 1}, f"{ASKED - 1} of {ASKED} answers to set were compared"),
        ({"good": ASKED - 1, "checked": ASKED - 1}, "answers to set were wrong"),
        ({"failed": 1}, f"1 of {ASKED} answers to set were wrong"),
    ],
)
def test_every_answer_is_good_and_compared(
    requests: dict[str, Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(**requests)
    monkeypatch.setattr(driven_executor, "start", lambda *_: nullcontext(told))
    one = over(Alive(), tmp_path)
    with pytest.raises(PassFailed, match=reason):
        one._load("set", LOAD, lambda: None)
    assert one.loads == []


class Endless(Told):
    """A load that waits for answers that do not come, until it is told to end."""

    def __init__(self, failed: int) -> None:
        super().__init__(failed=failed)
        self._failed = failed
        self._told_to_end = False

    def __iter__(self) -> Iterator[SimpleNamespace]:
        for _ in range(1_000):
            yield SimpleNamespace(failed=self._failed)
            if self._told_to_end:
                return
        raise AssertionError("the load was waited for")

    def interrupt(self) -> None:
        self._told_to_end = True


class Gone:
    def require_alive(self) -> None:
        raise ServiceFailed("the service ended by itself: signal 9")


@pytest.mark.parametrize(
    ("instance", "failed", "expected"),
    [
        (Gone(), 0, pytest.raises(ServiceFailed, match="signal 9")),
        (Alive(), 1, pytest.raises(PassFailed, match=f"1 of {ASKED} answers to set")),
    ],
)
def test_what_has_failed_is_not_waited_for(
    instance: object,
    failed: int,
    expected: AbstractContextManager[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driven_executor, "start", lambda *_: nullcontext(Endless(failed)))
    one = over(instance, tmp_path)
    with expected:
        one._load("set", LOAD, lambda: None)


def test_an_answer_without_a_value_has_nothing_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(misses=1, checked=ASKED - 1)
    monkeypatch.setattr(driven_executor, "start", lambda *_: nullcontext(told))
    one = over(Alive(), tmp_path)
    one._load("get", LOAD, lambda: None)
    assert [load.misses for load in one.loads] == [1]
