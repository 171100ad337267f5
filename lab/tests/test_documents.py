"""What documents and comments refer to is there: files, headings, commands and their options."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from checking.sources import sources
from runfair.cli.app import VERBS, Verbs
from runfair.paths import REPOSITORY

PAGES = sources("*.md")
TEXTS = sources("*.md", "*.py", "*.rs", "*.go", "*.java", "*.js", "*.cpp", "*.hpp", "*.toml")

HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A page of `docs`, and perhaps one of its headings, or how it begins, in quotation marks.
CITATION = re.compile(r'\bdocs/([a-z-]+)\.md`?(?:, ["“]([^"”]+)["”])?')
CONTINUED = re.compile(r"\n\s*(?:#|//[/!]?|\*)?\s*")
CALL = re.compile(r"\./runfair ([a-z]+)([^`\n#|]*)")
OPTION = re.compile(r"--[a-z][a-z-]*")


@cache
def headings(page: Path) -> tuple[str, ...]:
    return tuple(HEADING.findall(page.read_text(encoding="utf-8")))


def anchor(heading: str) -> str:
    """As forges make it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        name, _, fragment = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (fragment and fragment not in map(anchor, headings(target))):
            broken.append(link)
    return broken


def broken_citations(text: str) -> list[str]:
    broken = []
    for name, heading in CITATION.findall(CONTINUED.sub(" ", text)):
        page = REPOSITORY / "docs" / f"{name}.md"
        if not page.is_file():
            broken.append(name)
        elif heading and not any(each.startswith(heading) for each in headings(page)):
            broken.append(f"{name}, {heading}")
    return broken


def unknown_commands(text: str) -> list[str]:
    unknown = []
    for verb, rest in CALL.findall(text):
        if verb not in VERBS:
            unknown.append(verb)
            continue
        command = Verbs().get_command(None, verb)
        known = {name for option in command.params for name in option.opts}
        unknown += [f"{verb} {option}" for option in OPTION.findall(rest) if option not in known]
    return unknown


def named(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_what_is_cited_is_there() -> None:
    broken = {path: broken_citations(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {named(path): found for path, found in broken.items() if found} == {}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_and_options_are_known(page: Path) -> None:
    assert unknown_commands(page.read_text(encoding="utf-8")) == []


def test_what_is_not_there_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Why not?\n[a](#why-not) [b](page.md#why) [c](gone.md) [d](https://e.org)\n")
    assert broken_links(page) == ["page.md#why", "gone.md"]
    folder = "docs"  # named apart, as this file is looked through as well
    assert broken_citations(f"# as {folder}/nowhere.md says") == ["nowhere"]
    assert broken_citations(f'# {folder}/statistics.md, "A\n    # noisy machine"') == []
    assert broken_citations(f'{folder}/statistics.md, "A quiet machine"') == [
        "statistics, A quiet machine"
    ]
    assert unknown_commands("`./runfair run --profile quick --fast`") == ["run --fast"]
    assert unknown_commands("    ./runfair walk") == ["walk"]
