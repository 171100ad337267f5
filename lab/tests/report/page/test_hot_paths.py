"""From the slowest requests to the code that ran during them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from runfair.formats.probe import FrameShare, LineShare, ProbedResult, SlowRequestLines
from runfair.report.page.bytecodes import hot_paths
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend


def function(name: str, below: int | None, share: float) -> FrameShare:
    return FrameShare(kind="function", name=name, path="/a.js", below=below, share=share)


FRAMES = [
    FrameShare(kind="part", name="compiled code", path="", below=None, share=0.8),
    function("answer", 0, 0.8),
    function("discount", 1, 0.6),
    function("total", 1, 0.2),
    FrameShare(kind="part", name="runtime", path="", below=None, share=0.2),
    function("other", 4, 0.2),
]


def said(frames: list[FrameShare], lines: list[LineShare]) -> list[str]:
    slow = SlowRequestLines(requests=4, from_ns=50_000_000, samples=200, lines=lines, frames=frames)
    probed = ProbedResult(execution="e1", verdict="fair", slow=slow)
    result = SimpleNamespace(cells=[SimpleNamespace(probed=[probed])])
    legend = SimpleNamespace(series=lambda _: SimpleNamespace(name="shop"))
    return hot_paths(cast(PageInput, SimpleNamespace(result=result)), cast(Legend, legend))


def test_the_hottest_call_path_follows_the_widest_boxes() -> None:
    line = LineShare(path="/a.js", line=7, function="f", share=0.5, bytecodes={"Add": 1.0})
    (sentence,) = said(FRAMES, [line])
    assert "it spent its CPU time in a.js:7 50.0% (Add 100%)" in sentence
    assert "The hottest call path was compiled code → answer → discount (60.0%)." in sentence


def test_compiled_code_has_a_call_path_without_lines() -> None:
    (sentence,) = said(FRAMES, [])
    assert "CPU time in code whose source lines are unknown (200 samples" in sentence


def test_a_long_call_path_is_shortened() -> None:
    deep = [function(f"f{at}", at - 1 if at else None, 0.9) for at in range(40)]
    (sentence,) = said(deep, [])
    assert "f4 → f5 → … 28 more … → f34" in sentence


def test_without_samples_nothing_is_said() -> None:
    assert said([], []) == []
