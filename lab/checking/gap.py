"""Runtimes, tools and packages that are missing on this machine, with the number of skipped tests
for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from checking.step import Skipped

_COMMAND = re.compile(
    r"(apt-get install|\./runfair install|rustup toolchain install)((?: [\w.+-]+)+)"
)
# The texts by which tests say that a language, or a family of runtimes, has no runtime on this
# machine.
_RUNTIME = re.compile(
    r"(?:nothing here runs|none runs|no runtime (?:of|for)|default variant of|is built by) ([\w+]+)"
    r"|^([\w-]+?)\+\S* is not here"
    r"|^(?:got empty parameter set for \(|needs )([\w+]+)"
)


def gaps(skipped: Iterable[Skipped], install_line: Callable[[str], str | None]) -> Iterator[str]:
    """A line for each missing thing, in the order of the number of skipped tests. A line has this
    number and the command that installs the missing thing. If nothing can be installed, the line
    has the reason instead.
    """
    costs = Counter(_missing(one.reason, install_line) for one in skipped)
    for missing, cost in costs.most_common():
        yield f"{cost:5}  {missing}"


def _missing(reason: str, install_line: Callable[[str], str | None]) -> str:
    if command := _command(reason):
        return command
    if found := _RUNTIME.search(reason):
        name = next(filter(None, found.groups())).lower()
        line = install_line(name) or ""
        return _command(line) or line or reason
    return reason


def _command(text: str) -> str | None:
    """The command that installs something, without options. Different spellings of the command are
    thus counted together.
    """
    if not (found := _COMMAND.search(text)):
        return None
    names = [name for name in found[2].split() if not name.startswith("-")]
    return " ".join([found[1], *names])
