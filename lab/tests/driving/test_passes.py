"""What a pass makes of what the load generator tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

from runfair.driving import passes
from runfair.driving.client import Client
from runfair.driving.failure import PassFailed
from runfair.driving.passes import Passes
from runfair.formats.load_result import LoadResult
from runfair.loading.load import Load
from runfair.serving.failure import ServiceFailed
from runfair.serving.instance import Instance
from runfair.serving.process_accounting import TreeAccounting
from simulated import service_load

TRUTH = service_load.Load(
    service_load.frozen(
        service_load.arrivals(1000, 1), service_load.arrivals(1000, 1) * 0 + 2_000_000
    ),
    1000.0,
)
ASKED = len(TRUTH.requests.kind)


class Told:
    """A load that ended with this result."""

    def __init__(self, **requests: int) -> None:
        whole = TRUTH.result
        self._result = whole.model_copy(
            update={"requests": whole.requests.model_copy(update=requests)}
        )

    def __iter__(self) -> Iterator[None]:
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
        ({"good": ASKED - 1, "checked": ASKED - 1}, "answers to set were not right"),
        ({"failed": 1}, f"1 of {ASKED} answers to set were not right"),
    ],
)
def test_every_answer_is_good_and_compared(
    requests: dict[str, Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(**requests)
    monkeypatch.setattr(passes, "start", lambda *_: nullcontext(told))
    one = Passes(
        generator=tmp_path,
        instance=cast(Instance, Alive()),
        client=cast(Client, None),
        tree=cast(TreeAccounting, None),
        processors=[0],
        raw=tmp_path,
    )
    load = Load(url="redis://127.0.0.1:1", closed=True, requests=ASKED, connections=1)
    with pytest.raises(PassFailed, match=reason):
        one._load("set", load, lambda: None)
    assert one.loads == []


class Endless(Told):
    """A load that waits for answers that do not come."""

    def __iter__(self) -> Iterator[None]:
        for _ in range(1_000):
            yield
        raise AssertionError("the load was waited for")


class Gone:
    def require_alive(self) -> None:
        raise ServiceFailed("the service ended by itself: signal 9")


def test_a_server_that_is_gone_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "start", lambda *_: nullcontext(Endless()))
    one = Passes(
        generator=tmp_path,
        instance=cast(Instance, Gone()),
        client=cast(Client, None),
        tree=cast(TreeAccounting, None),
        processors=[0],
        raw=tmp_path,
    )
    load = Load(url="redis://127.0.0.1:1", closed=True, requests=ASKED, connections=1)
    with pytest.raises(ServiceFailed, match="signal 9"):
        one._load("set", load, lambda: None)
