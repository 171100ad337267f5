"""What is wrong with a runtimes file is said with file, line and key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from catalogue.invented import ENTRY
from runfair.building.checksum import files_of
from runfair.building.template import filled_glob
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.family import BUILT_IN, load_families
from runfair.errors import UserMistake
from runfair.formats.variant import at_least, version_key
from runfair.paths import BENCHMARKS, PLATFORMS

SWITCHES = PLATFORMS / "newspeak" / "src" / "newspeak" / "runtime" / "Switches.java"


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
        ('language = "toy"', 'like = ["toy"]', "toy.like", "like ="),
        ('language = "toy"', 'language = "toy"\nlineage = "kin"', "toy.lineage", "lineage ="),
        ("prefer = 'fast=yes'", 'prefer = "("', "toy.prefer", "prefer ="),
        ("prefer = 'fast=yes'", 'prefer = "a{99999999999}"', "toy.prefer", "prefer ="),
        (
            'sources = ["{',
            'flags.pattern = "("\nsources = ["{',
            "toy.build.flags.pattern",
            "flags.p",
        ),
        (
            'sources = ["{',
            'flags.pattern = "x"\nsources = ["{',
            "toy.build.flags.pattern",
            "flags.p",
        ),
        ('sources = ["{', 'flags.log = "x"\nsources = ["{', "toy.build.flags.log", "flags.l"),
        (
            "settings = { jit = false }",
            'check = { command = ["x"], pattern = "(" }',
            "toy.variants.slow.check.pattern",
            "check =",
        ),
        (
            'default = ""',
            'default = ""\nunsupported = [{ log = "[", reason = "" }]',
            "toy.unsupported.0.log",
            "unsupported =",
        ),
        ("[toy]", "tools = 1\n[toy]", "tools: must be a table", "tools = 1"),
        ("[toy]", "shared = [1]\n[toy]", "shared: must be a table", "shared ="),
        ("[toy]", "[tools]\nx = 3\n[toy]", "tools.x", "x = 3"),
        ("[toy]", "[shared]\nx = 3\n[toy]", "shared.x", "x = 3"),
        ("[toy]", "kin = 3\n[toy]", "kin: must be a table", "kin ="),
        ("[toy]", '[kin]\nlike = "toy"\nvariants = 3\n[toy]', "kin.variants", "variants = 3"),
        ("[toy]", '["../../evil"]\nlike = "toy"\n[toy]', "../../evil: a name", "evil"),
        ("[toy]", '["-kin"]\nlike = "toy"\n[toy]', "-kin: a name", "-kin"),
        ("[toy]", '[""]\nlike = "toy"\n[toy]', "(file): a name", '[""]'),
        ("[toy]", '[tools."a/b"]\n[toy]', "tools.a/b: a name", "a/b"),
        ("[toy]", '[shared."a/b"]\n[toy]', "shared.a/b: a name", "a/b"),
        ("variants.slow]", 'variants."a/b"]', "toy.variants.a/b: a name", "a/b"),
        (
            "[toy.build]",
            '[tools.x]\nsearch = ["x"]\nidentify.command = ["x"]\n'
            "identify.patterns = { version = '(' }\n[toy.build]",
            "tools.x.identify.patterns.version",
            "version = '('",
        ),
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
    with pytest.raises(UserMistake, match=r"runtimes\.toml:2: the line is malformed TOML"):
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


def test_who_is_recognised_alike_is_the_same_implementation(tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text(
        f"{ENTRY}\n"
        '[mine]\nlike = "toy"\n'
        '[mine-too]\nlike = "mine"\n'
        '[another]\nlike = "toy"\nidentify.command = ["x"]\n'
        "identify.patterns = { version = '(.+)' }\n"
    )
    assert load_families([file]).kin == {"mine": "toy", "mine-too": "toy"}


def test_no_family_of_the_built_in_file_is_taken_for_another() -> None:
    assert load_families([BUILT_IN]).kin == {}


def test_variants_of_a_parent_that_comes_later_are_placed(tmp_path: Path) -> None:
    kin, toy = tmp_path / "kin.toml", tmp_path / "toy.toml"
    kin.write_text('[kin]\nlike = "toy"\n')
    toy.write_text("[toy]\nvariants = 3\n")
    with pytest.raises(UserMistake, match=r"toy\.toml:2: toy\.variants: must be a table"):
        load_families([kin, toy])


@pytest.mark.parametrize("name", ["c++", "3to4", "o3+lto", "g1-gc", "a_b.c"])
def test_names_that_files_can_have(name: str, tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text(ENTRY + f'\n["{name}"]\nlike = "toy"\n["{name}".variants."{name}"]\n')
    assert set(load_families([file]).families[name].variants) == {"", "slow", name}


def test_later_file_replaces_an_entry(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(ENTRY)
    second.write_text(ENTRY.replace('minimum = "2"', 'minimum = "5"'))
    assert load_families([first, second]).families["toy"].minimum == "5"


def test_built_in_file_is_sound() -> None:
    content = load_families([BUILT_IN])
    languages = {family.language for family in content.families.values()}
    assert languages == {
        "c++",
        "erlang",
        "go",
        "java",
        "javascript",
        "kotlin",
        "newspeak",
        "python",
        "rust",
    }
    for name, family in content.families.items():
        assert family.install, f"{name} does not say how to have it"
    # A JDK left to itself chooses a collector by the machine: each variant names one.
    for jdk in ("openjdk", "temurin", "graal", "kotlin-jvm", "newspeak"):
        for variant in content.families[jdk].variants.values():
            assert "collector" in variant.settings
            assert any(flag.startswith("-XX:+Use") for flag in variant.flags)


def test_each_switch_of_newspeak_has_a_variant() -> None:
    switches = re.findall(r'= on\("(\w+)"\)', SWITCHES.read_text("utf-8"))
    assert len(switches) == 6
    variants = load_families([BUILT_IN]).families["newspeak"].variants
    settings = {switch: re.sub("([A-Z])", r"_\1", switch).lower() for switch in switches}
    for switch, setting in settings.items():
        variant = variants[setting.replace("_", "-") + "-off"]
        assert f"-Dnewspeak.{switch}=false" in variant.flags
        assert {k: v for k, v in variant.settings.items() if k in settings.values()} == {
            setting: False
        }
    none = variants["optimisations-off"]
    assert {f"-Dnewspeak.{switch}=false" for switch in switches} < set(none.flags)
    assert not any(none.settings[setting] for setting in settings.values())


def test_every_build_in_cpp_rounds_a_product_before_it_is_added() -> None:
    families = load_families([BUILT_IN]).families
    for name in ("gcc", "clang"):
        variants = families[name].variants.values()
        own = [step for variant in variants for step in variant.steps or []]
        for steps in (families[name].build.steps, own):
            compilers = [step.run for step in steps if "-std=c++20" in step.run]
            assert compilers
            assert all("-ffp-contract=off" in run for run in compilers)


def test_an_older_go_gets_each_package_that_its_programs_import() -> None:
    """It is built without modules, from a copy of these sources alone."""
    older = load_families([BUILT_IN]).families["go"].older
    assert older is not None
    for program in (program for one in benchmarks().values() for program in one.programs):
        newer_only = program.oldest and at_least(program.oldest, older.before)
        if program.language != "go" or newer_only or program.recipe is not None:
            continue
        values = {"harness": str(BENCHMARKS / "harness"), "folder": str(program.folder)}
        copied = files_of(filled_glob(pattern, values) for pattern in older.build.sources)
        found = {path.parent.relative_to(BENCHMARKS).as_posix() for path in copied}
        for source in program.folder.glob("*.go"):
            assert found.issuperset(re.findall('"runfair/(.+)"', source.read_text("utf-8"))), source


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
