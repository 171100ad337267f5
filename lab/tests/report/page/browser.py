"""Pages in Debian's Chromium. What a page does wrong there, it says: see `Opened`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PATIENCE_MS = 60_000
DESK = (1280, 900)
PHONE = (390, 844)


@dataclass
class Opened:
    """A page that has been opened and drawn. `complaints` are errors and warnings of its console,
    `requests` all that it asked for beside itself; of a good page both stay empty."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Until every picture is drawn."""
        self.page.wait_for_selector("body[data-drawn]", timeout=PATIENCE_MS, state="attached")


FONT = "Liberation Sans"
FONTS = Path("/usr/share/fonts/truetype/liberation")
_FONTS_FILE = f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>{FONTS}</dir>
<cachedir prefix="xdg">fontconfig</cachedir>
<match><edit name="family" mode="assign" binding="strong"><string>{FONT}</string></edit></match>
</fontconfig>
"""


@contextmanager
def chromium_with_one_font(folder: Path, *arguments: str) -> Iterator[Browser]:
    """Every text in the same letters, whatever fonts a machine has: what pages look like there can
    be compared. `folder` is for its settings."""
    if not FONTS.is_dir():
        pytest.skip(f"{FONT} is missing; to install it: apt-get install fonts-liberation")
    fonts = folder / "fonts.conf"
    fonts.write_text(_FONTS_FILE)
    with chromium(*arguments, environment={"FONTCONFIG_FILE": str(fonts)}) as started:
        yield started


@contextmanager
def chromium(*more: str, environment: Mapping[str, str] | None = None) -> Iterator[Browser]:
    """`more` are arguments of its own, `environment` variables beside those that are there."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is missing; to install it: apt-get install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=[*arguments, *more],
            env={**os.environ, **(environment or {})},
        )
        try:
            yield browser
        finally:
            browser.close()


def opened(
    browser: Browser,
    path: Path,
    *,
    scheme: Literal["light", "dark"] = "light",
    size: tuple[int, int] = DESK,
) -> Opened:
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, offline=True
    )
    seen = Opened(page)
    page.on(
        "console",
        lambda message: (
            seen.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog: {dialog.message}"))
    address = path.as_uri()
    page.on(
        "request",
        lambda request: seen.requests.append(request.url) if request.url != address else None,
    )
    page.goto(address)
    seen.settle()
    return seen
