"""The go command's words: what is vetted and tested, and with which options."""

from __future__ import annotations

from pathlib import Path

from checking.sources import sources

# The same options as in the programs' builds, so that the standard library is compiled only once.
TRIMMED = "-trimpath"
VET = ("vet", TRIMMED, "./...")
TEST = ("test", TRIMMED, "-vet=off")


def go_tests(module: Path) -> list[str]:
    """The packages of a module that have tests, as `go test` names them. The packages of a module
    inside the folder belong to that module.
    """
    inner = [one.parent for one in sources("go.mod", root=module) if one.parent != module]
    folders = {file.parent for file in sources("*_test.go", root=module)}
    own = [folder for folder in folders if not any(map(folder.is_relative_to, inner))]
    return sorted(f"./{folder.relative_to(module)}" for folder in own)
