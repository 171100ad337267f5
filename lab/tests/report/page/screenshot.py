"""Screenshots of a page's parts, compared with stored ones by the average colours of small blocks.

What is stored is small (70 kB for 51 of them), and survives a browser that draws letters and lines
a shade lighter or darker: without hinting and without antialiasing of letters no block differs. A
colour that changed, marks that are no longer hollow, intervals that are gone do not: at least 2.8%
of what is drawn differs then. Letters of other widths do neither, so that the font is a fixed one.
"""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page

from report.page.browser import Opened
from runfair.paths import private_folder

BLOCK = 8  # pixels each way
DIFFERS = 24  # of 255, in any of the three colours of a block
TOLERATED = 0.02  # of the blocks that are not background in either
RENEW = "RUNFAIR_RENEW_SCREENSHOTS"
ENLARGED = 4

Blocks = npt.NDArray[np.float64]
"""Average colours: rows, columns, red, green and blue."""

# Decoding PNG is what a browser is good at. Blocks at the edges are averages of what they have.
_AVERAGES = """
async ([png, block]) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const columns = Math.ceil(image.width / block);
  const rows = Math.ceil(image.height / block);
  const sums = new Float64Array(columns * rows * 4);
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const from = (y * image.width + x) * 4;
      const to = (Math.floor(y / block) * columns + Math.floor(x / block)) * 4;
      for (let colour = 0; colour < 3; colour += 1) {
        sums[to + colour] += data[from + colour];
      }
      sums[to + 3] += 1;
    }
  }
  const told = [];
  for (let at = 0; at < sums.length; at += 4) {
    told.push(...[0, 1, 2].map((colour) => Math.round(sums[at + colour] / sums[at + 3])));
  }
  return { rows, columns, told };
}
"""


@dataclass(frozen=True)
class Shot:
    """One part of a page as a browser drew it."""

    png: bytes
    blocks: Blocks


# What is above a picture moves it by parts of a pixel, which blurs its lines: each is looked at
# alone, as wide as it was.
_FIXED = "one => { one.style.width = `${one.clientWidth}px`; one.style.margin = '0'; }"
_ALONE = """
one => {
  [document.body.style.padding, document.body.style.margin] = ['0', '0'];
  document.body.replaceChildren(one);
}
"""


def shots(seen: Opened, canvas: Page) -> dict[str, Shot]:
    """The page's top and each of its pictures, by name; nothing else is left of the page then.
    `canvas` is an empty page."""
    taken = {"top": seen.page.locator("header").screenshot()}
    names = [one.get_attribute("id") or "" for one in seen.page.locator("figure.picture").all()]
    drawings = seen.page.locator("figure.picture .drawing").element_handles()
    for drawing in drawings:
        drawing.evaluate(_FIXED)
    for name, drawing in zip(names, drawings, strict=True):
        drawing.evaluate(_ALONE)
        taken[name] = drawing.screenshot()
    return {name: Shot(image, blocks(canvas, image)) for name, image in taken.items()}


def blocks(canvas: Page, png: bytes, block: int = BLOCK) -> Blocks:
    """The averages of an image's blocks."""
    told = canvas.evaluate(_AVERAGES, [base64.b64encode(png).decode(), block])
    return np.array(told["told"], dtype=np.float64).reshape(told["rows"], told["columns"], 3)


def compare(canvas: Page, folder: Path, taken: Mapping[str, Shot]) -> list[str]:
    """What differs from the stored ones, a line each; what was seen and the difference are kept in
    the private folder. Where renewing is asked for, the stored ones are replaced."""
    if os.environ.get(RENEW):
        _renew(folder, taken)
    stored = {path.stem: path for path in folder.glob("*.png")}
    lines = [f"{name}: stored, and not on the page" for name in sorted(stored.keys() - taken)]
    lines += [f"{name}: on the page, and not stored" for name in sorted(taken.keys() - stored)]
    for name in sorted(stored.keys() & taken):
        expected = blocks(canvas, stored[name].read_bytes(), block=1)
        share = difference(expected, taken[name].blocks)
        if share > TOLERATED:
            kept = _keep(f"{folder.parent.name}-{folder.name}-{name}", expected, taken[name])
            lines.append(f"{name}: {share:.1%} of what is drawn differs, see {kept}")
    return lines


def difference(expected: Blocks, seen: Blocks) -> float:
    """The share of the blocks with something in them that differ; of another size, all do."""
    if expected.shape != seen.shape:
        return 1.0
    inked = _inked(expected) | _inked(seen)
    differing = (np.abs(expected - seen) > DIFFERS).any(axis=2)
    return float((differing & inked).sum() / max(1, inked.sum()))


def _inked(image: Blocks) -> npt.NDArray[np.bool_]:
    """What stands out from the commonest colour, which is the background's."""
    colours, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    ground = colours[np.argmax(counts)]
    return np.asarray((np.abs(image - ground) > DIFFERS).any(axis=2))


def _renew(folder: Path, taken: Mapping[str, Shot]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.png"):
        path.unlink()
    for name, shot in taken.items():
        (folder / f"{name}.png").write_bytes(png(shot.blocks))


def _keep(name: str, expected: Blocks, shot: Shot) -> Path:
    """The whole shot; and side by side what was stored, what was seen, where they differ."""
    folder = private_folder() / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.png").write_bytes(shot.png)
    seen = shot.blocks
    rows, columns = (max(expected.shape[one], seen.shape[one]) for one in (0, 1))
    wide = [_padded(image, rows, columns) for image in (expected, seen)]
    differing = np.asarray((np.abs(wide[0] - wide[1]) > DIFFERS).any(axis=2))
    marked = np.full((rows, columns, 3), 255.0)
    marked[differing] = (200.0, 0.0, 60.0)
    beside = np.concatenate([*wide, marked], axis=1)
    path = folder / f"{name}-difference.png"
    path.write_bytes(png(beside.repeat(ENLARGED, axis=0).repeat(ENLARGED, axis=1)))
    return path


def _padded(image: Blocks, rows: int, columns: int) -> Blocks:
    padded = np.full((rows, columns, 3), 128.0)
    padded[: image.shape[0], : image.shape[1]] = image
    return padded


def png(image: Blocks) -> bytes:
    """An image file of 8 bits a colour (PNG, third edition, sections 5 and 11)."""
    pixels = image.round().astype(np.uint8)
    rows, columns, _ = pixels.shape
    unfiltered = np.concatenate([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)], axis=1)
    header = columns.to_bytes(4, "big") + rows.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(unfiltered.tobytes(), 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks.items())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
