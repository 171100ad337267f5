"""Invented runtimes: shell scripts on a PATH of their own, and a file that describes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runfair.catalogue.family import load_families
from runfair.catalogue.runtime import Discovery, discover
from runfair.formats.variant import Variant

ENTRY = """
[toy]
language = "toy"
search = ["toy", "toy-*"]
minimum = "2"
prefer = 'fast=yes'
install = "apt-get install toy"
default = ""

[toy.identify]
command = ["{executable}", "--version"]
patterns = { version = '^toy (\\S+)', fast = 'fast: (\\w+)', origin = 'from (\\w+)' }

[toy.build]
sources = ["{folder}/**"]

[toy.run]
command = ["{executable}", "{folder}/main.toy"]

[toy.variants.""]
flags = []

[toy.variants.slow]
flags = ["--slow"]
settings = { jit = false }
"""


@dataclass
class Bench:
    """A catalogue file and a folder of programs."""

    programs: Path
    file: Path
    asked: Path

    def program(self, name: str, says: str = "", *, then: str = "") -> Path:
        """An executable that notes that it was asked, prints, and does something else."""
        path = self.programs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"#!/bin/sh\necho {name} >> {self.asked}\ncat <<'END'\n{says}\nEND\n{then}\n"
        )
        path.chmod(0o755)
        return path

    def toy(self, name: str, version: str, fast: str = "no", origin: str = "here") -> Path:
        return self.program(name, f"toy {version}\nfast: {fast}\nfrom {origin}\nat {name}")

    def discover(self, refresh: bool = False) -> Discovery:
        return discover(load_families([self.file]), refresh)

    def variants(self, refresh: bool = False) -> list[Variant]:
        return self.discover(refresh).variants

    def times_asked(self) -> int:
        return len(self.asked.read_text().splitlines()) if self.asked.exists() else 0
