"""How soon the first picture of a page stands in Chromium, and how large pages are.

Run from the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/first_picture.py

Pages of simulated runs: an ordinary quick one, one of 500,000 samples, one of 1,200 cells. The time
is from the navigation's start, of several openings the median. Budget: 1 s and 3 MB.
"""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

from evidence.honest_run import GO, cell_id, honest_run
from evidence.records import EXECUTIONS, Records, Series
from fairness.large_run import large_run
from report.page.browser import DESK, PATIENCE_MS, chromium
from report.page.pages import page_of
from runfair.report.page.rendering import html

SAMPLES = 500_000
OPENINGS = 5
# `page.js` marks a figure when it is drawn.
_OBSERVED = """
new MutationObserver((changes, observer) => {
  if (changes.some((one) => one.target.dataset.drawn)) {
    observer.disconnect();
    requestAnimationFrame(() => { window.firstPicture = performance.now(); });
  }
}).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-drawn'] });
"""
_TOLD = """
new Promise((tell) => {
  const look = () => {
    window.firstPicture === undefined ? requestAnimationFrame(look) : tell(window.firstPicture);
  };
  look();
})
"""


def of_many_samples() -> Records:
    def long(series: Series) -> Series:
        times = len(series[0])
        wall_ns, cpu_ns = (np.resize(one, -(-SAMPLES // EXECUTIONS)) for one in series)
        wall_ns[times * 100] *= 50  # a pause that has to be seen
        return wall_ns, cpu_ns

    return honest_run().with_series(cell_id(GO), long)


RUNS: dict[str, Callable[[], Records]] = {
    "quick": honest_run,
    "500,000 samples": of_many_samples,
    "1,200 cells": lambda: large_run(100),
}


def first_picture_ms(browser: Browser, path: Path) -> float:
    page = browser.new_page(viewport={"width": DESK[0], "height": DESK[1]}, offline=True)
    page.add_init_script(_OBSERVED)
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("figure[data-drawn]", timeout=PATIENCE_MS, state="attached")
    told = float(page.evaluate(_TOLD))
    page.close()
    return told


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for name, make in RUNS.items():
            path = Path(folder) / "report.html"
            path.write_text(html(page_of(make())), encoding="utf-8")
            times = [first_picture_ms(browser, path) for _ in range(OPENINGS)]
            size = path.stat().st_size / 1e6
            print(f"{name:<16}{statistics.median(times):8.0f} ms{size:8.2f} MB", flush=True)


if __name__ == "__main__":
    main()
