"""What is wrong with a runtimes file is said with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogue.invented import ENTRY
from runfair.catalogue.family import BUILT_IN, load_families
from runfair.catalogue.version import at_least, version_key
from runfair.errors import UserMistake


def line_of(text: str, part: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.mark.parametrize(
    ("old", "new", "key", "at"),
    [
        ('language = "toy"', "language = 3", "toy.language", "language = 3"),
        ('install = "', 'instal = "', "toy.instal", "instal ="),
        ('default = ""', 'default = "fast"', "toy.default", "default ="),
        ("flags = []", "flags = 1", "toy.variants..flags", "flags = 1"),
        ("fast: (\\w+)", "fast: (\\w+", "toy.identify.patterns.fast", "patterns ="),
        ("fast: (\\w+)", "fast: \\w+", "toy.identify.patterns.fast", "patterns ="),
        ('sources = ["{folder}/**"]', "", "toy.build.sources", "[toy.build]"),
        ("version =", "versio =", "toy.identify.patterns", "patterns ="),
        ('sources = ["{', 'after = "no"\nsources = ["{', "toy.build.after", "after ="),
        ('language = "toy"', 'like = "nothing"', "toy.like", "like ="),
    ],
)
def test_mistake_is_placed(old: str, new: str, key: str, at: str, tmp_path: Path) -> None:
    text = ENTRY.replace(old, new)
    assert text != ENTRY
    file = tmp_path / "runtimes.toml"
    file.write_text(text)
    with pytest.raises(UserMistake) as mistake:
        load_families([file])
    message = str(mistake.value)
    assert message.startswith(f"{file}:{line_of(text, at)}: {key}")
    assert "\n" not in message


def test_broken_toml_tells_its_line(tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text("[toy]\nlanguage = \n")
    with pytest.raises(UserMistake, match=r"runtimes\.toml:2: malformed TOML"):
        load_families([file])


def test_noise_is_not_a_runtimes_file(tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserMistake, match="cannot be read"):
        load_families([file])


def test_like_takes_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text(
        ENTRY + '\n[kin]\nlike = "toy"\nminimum = "7"\n[kin.variants.slow]\ndrop = true\n'
    )
    families = load_families([file]).families
    assert families["kin"].language == "toy"
    assert (families["kin"].minimum, families["toy"].minimum) == ("7", "2")
    assert (list(families["kin"].variants), list(families["toy"].variants)) == ([""], ["", "slow"])


def test_later_file_replaces_an_entry(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(ENTRY)
    second.write_text(ENTRY.replace('minimum = "2"', 'minimum = "5"'))
    assert load_families([first, second]).families["toy"].minimum == "5"


def test_built_in_file_is_sound() -> None:
    content = load_families([BUILT_IN])
    languages = {family.language for family in content.families.values()}
    assert languages == {"c++", "go", "java", "javascript", "python", "rust"}
    for name, family in content.families.items():
        assert family.install, f"{name} does not say how to have it"
    # A JDK left to itself chooses a collector by the machine: each variant names one.
    for jdk in ("openjdk", "temurin"):
        for variant in content.families[jdk].variants.values():
            assert "collector" in variant.settings
            assert any(flag.startswith("-XX:+Use") for flag in variant.flags)


def test_versions_are_ordered_by_number() -> None:
    versions = ["3.10.1", "3.9", "1.27rc1", "1.27", "3.9.0", "25.0.3+9-LTS", "1.97.0-nightly"]
    assert sorted(versions, key=version_key) == [
        "1.27rc1",
        "1.27",
        "1.97.0-nightly",
        "3.9",
        "3.9.0",
        "3.10.1",
        "25.0.3+9-LTS",
    ]
    assert at_least("3.8", "3.8") and at_least("3.10", "3.8") and not at_least("3.7.16", "3.8")
