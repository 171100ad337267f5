"""The grammar by which editors colour Newspeak programs: what its patterns match."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
GRAMMAR = json.loads((FOLDER / "newspeak.tmLanguage.json").read_text(encoding="utf-8"))


def rules(patterns: list[dict[str, Any]]) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """The rules in their order; a rule with a begin and an end becomes one pattern of one line."""
    found: list[tuple[re.Pattern[str], dict[str, Any]]] = []
    for rule in patterns:
        if "include" in rule:
            found += rules([GRAMMAR["repository"][rule["include"].removeprefix("#")]])
        elif "match" in rule:
            found.append((re.compile(rule["match"]), rule))
        elif "begin" in rule:
            whole = f"{rule['begin']}(?:{inner(rule)}|.)*?{rule['end']}"
            found.append((re.compile(whole), rule))
        else:
            found += rules(rule["patterns"])
    return found


def inner(rule: dict[str, Any]) -> str:
    return next((one["match"] for one in rule["patterns"] if "match" in one), "(?!)")


def coloured(line: str) -> list[tuple[str, str]]:
    """The texts that have a colour, and the first two parts of their scopes."""
    known = rules(GRAMMAR["patterns"])
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(line):
        matches = [
            (match.start(), index)
            for index, (pattern, _) in enumerate(known)
            if (match := pattern.search(line, at))
        ]
        if not matches:
            break
        pattern, rule = known[min(matches)[1]]
        match = pattern.search(line, at)
        assert match and match.end() > at
        scopes = {0: rule} if "name" in rule else {int(k): v for k, v in rule["captures"].items()}
        found += [
            (match[group], ".".join(scope["name"].split(".")[:2]))
            for group, scope in scopes.items()
        ]
        at = match.end()
    return found


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "public class Pair x: a = (| private b = a. |)(",
            [
                ("public", "storage.modifier"),
                ("class", "storage.type"),
                ("Pair", "entity.name"),
                ("x:", "entity.name"),
                ("private", "storage.modifier"),
            ],
        ),
        (
            "^ x:: self at: 16rFF put: -1.5e3 (* 'no' *)",
            [
                ("^", "keyword.control"),
                ("::", "keyword.operator"),
                ("self", "variable.language"),
                ("at:", "entity.name"),
                ("16rFF", "constant.numeric"),
                ("put:", "entity.name"),
                ("-1.5e3", "constant.numeric"),
                ("(* 'no' *)", "comment.block"),
            ],
        ),
        (
            """other <-: send: 'it''s' with: #at:put: and: "c" or: nil""",
            [
                ("<-:", "keyword.operator"),
                ("send:", "entity.name"),
                ("'it''s'", "string.quoted"),
                ("with:", "entity.name"),
                ("#at:put:", "constant.other"),
                ("and:", "entity.name"),
                ('"c"', "string.quoted"),
                ("or:", "entity.name"),
                ("nil", "constant.language"),
            ],
        ),
        ("public: x1 ::= selfish", [("public:", "entity.name"), ("::=", "keyword.operator")]),
    ],
)
def test_colours(line: str, wanted: list[tuple[str, str]]) -> None:
    assert coloured(line) == wanted


def test_the_extension_names_files_that_exist() -> None:
    contributed = PACKAGE["contributes"]
    (language,), (grammar,) = contributed["languages"], contributed["grammars"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
    assert {language["id"], grammar["language"], contributed["breakpoints"][0]["language"]} == {
        "newspeak"
    }
    configuration = json.loads((FOLDER / language["configuration"]).read_text(encoding="utf-8"))
    assert configuration["comments"]["blockComment"] == ["(*", "*)"]
    assert (FOLDER / grammar["path"]).is_file()
