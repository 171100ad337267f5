"""Runtime families, as `runtimes.toml` describes them: the schema of this file, and its errors.

A family says how to find, identify, build for and run a language implementation. A runtime is an
installed member of a family. A variant is a runtime with one entry of the family's `variants`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from runfair.errors import UserMistake
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import as_record, mistake, parse_toml
from runfair.paths import private_folder

BUILT_IN = Path(__file__).with_name("runtimes.toml")

# Names become parts of file names, so a name must not lead out of its folder.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")


def _groups(pattern: str) -> int:
    try:
        return re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"this is not a regular expression ({error})") from None


def _expression(pattern: str) -> str:
    _groups(pattern)
    return pattern


def _reading(pattern: str) -> str:
    if _groups(pattern) < 1:
        raise ValueError(
            "the regular expression needs a capturing group (…), because the text that the group "
            "matches becomes the value"
        )
    return pattern


def _reading_or_none(pattern: str) -> str:
    return pattern and _reading(pattern)


def _with_version(patterns: dict[str, str]) -> dict[str, str]:
    if "version" not in patterns:
        raise ValueError("the patterns must include a pattern for 'version'")
    return patterns


Expression = Annotated[str, AfterValidator(_expression)]
Reading = Annotated[str, AfterValidator(_reading)]


class Identify(Record):
    """The command that asks a candidate what it is, and the patterns that read its answer.

    The first group of each pattern is a fact. Every pattern must match. If a candidate's answer
    does not match, it is another implementation. The fact `version` is required. If there is a fact
    `executable`, it replaces the candidate (for example by the interpreter of a virtual
    environment).
    """

    command: list[str] = Field(min_length=1)
    patterns: Annotated[dict[str, Reading], AfterValidator(_with_version)]


class Step(Record):
    """One command of a build. A `training` step also gets the options of the training run."""

    run: list[str] = Field(min_length=1)
    training: bool = False
    environment: dict[str, str] = {}


class FlagSource(Record):
    """The source from which the effective flags are read: a command's output, or the log of the
    build."""

    command: list[str] = []
    pattern: Reading = "^(.+)$"
    log: Annotated[str, AfterValidator(_reading_or_none)] = ""


class BuildRecipe(Record):
    """How a program is built.

    `product` is the file that is started and hashed; if there is none, the sources are started and
    hashed. Builds with the same word in `alone` never run at the same time. `platform` has the
    files of a runtime of this project, which the build makes in place and depends on. `after` names
    a shared build that is made first. `whole_suite`: the shared build contains all programs of a
    suite.
    """

    after: str = ""
    alone: str = ""
    whole_suite: bool = False
    tools: list[str] = []
    sources: list[str]
    platform: list[str] = []
    directory: str = "{output}"
    steps: list[Step] = []
    product: list[str] = []
    flags: FlagSource = FlagSource()

    @property
    def learns(self) -> bool:
        """Whether the build has a training run."""
        return any(step.training for step in self.steps)


class OlderRecipe(Record):
    """The way to build for versions older than `before`. `environment` overrides the family's
    environment."""

    before: str
    environment: dict[str, str] = {}
    build: BuildRecipe


class RunRecipe(Record):
    """The command that starts a program; the contract's options are appended to it. An empty
    environment variable overrides an inherited one.
    """

    command: list[str] = Field(min_length=1)
    directory: str = "{benchmarks}"
    environment: dict[str, str] = {}


class FactorKnob(Record):
    """The arguments that pass a factor to a runtime, or the reason why the runtime does not support
    it.
    """

    arguments: list[str] = []
    environment: dict[str, str] = {}
    unsupported: str = ""


class Check(Record):
    """A command whose output must match a pattern; otherwise the variant is not available."""

    command: list[str] = Field(min_length=1)
    pattern: Expression


class LogReason(Record):
    """A reason why a build failed. If the log of the build matches `log`, the runtime does not
    support the program."""

    log: Expression
    reason: str


class VariantRecipe(Record):
    """The flags of a variant, and its other differences from its family."""

    flags: list[str] = []
    environment: dict[str, str] = {}
    settings: dict[str, Scalar] = {}
    lacks: list[str] = []
    steps: list[Step] | None = None
    needs: list[str] = []
    check: Check | None = None
    minimum: str = ""
    install: str = ""
    drop: bool = False


class Family(Record):
    """One entry of `runtimes.toml`.

    `preference` decides which family of a language is the default; the family with the smallest
    number comes first. `prefer` is a pattern: runtimes whose identity matches it come first.
    `lineage` is the family of another builder whose versions this family continues. `needs` are
    files without which no variant runs. `older` has the recipes for older versions. `lines`: the
    harness supports `--lines`. A steady execution takes `steady_share` times a profile's seconds:
    less than 1 if there is no JIT compilation, and more than 1 if the JIT compiler itself has to
    warm up.
    """

    language: str
    lineage: str = ""
    search: list[str] = Field(min_length=1)
    ignore: list[str] = []
    identify: Identify
    minimum: str = "0"
    preference: int = 100
    prefer: Expression = ""
    install: str = ""
    needs: list[str] = []
    default: str = ""
    environment: dict[str, str] = {}
    build: BuildRecipe
    older: OlderRecipe | None = None
    run: RunRecipe
    factors: dict[Literal["heap_bytes", "processors"], FactorKnob] = {}
    lines: bool = False
    steady_share: Annotated[float, Field(gt=0, le=20)] = 1.0
    variants: dict[str, VariantRecipe] = Field(min_length=1)
    unsupported: list[LogReason] = []


class Tool(Record):
    """A compiler that several runtimes share, and the rule that selects one of the installed
    compilers."""

    search: list[str] = Field(min_length=1)
    ignore: list[str] = []
    identify: Identify
    minimum: str = "0"
    pick: Literal["oldest", "newest"] = "newest"
    install: str = ""


class Families(Record):
    """The contents of all catalogue files. `kin` has, for each family that describes the same
    implementation as another, the name of that other family."""

    families: dict[str, Family]
    kin: dict[str, str]
    tools: dict[str, Tool]
    shared: dict[str, BuildRecipe]


def catalogue_files() -> list[Path]:
    """The built-in file and the user's own. Entries of a later file override those of an earlier
    file.
    """
    named = os.environ.get("RUNFAIR_RUNTIMES", "")
    own = private_folder() / "runtimes.toml"
    if named and not Path(named).is_file():
        raise UserMistake(
            f"the environment variable RUNFAIR_RUNTIMES names {named}, which is not a file; "
            "correct or unset the variable"
        )
    return [BUILT_IN, *([own] if own.is_file() else []), *([Path(named)] if named else [])]


def load_families(files: list[Path]) -> Families:
    """The families of all files. Raises UserMistake with file, line and key."""
    tables: dict[str, dict[str, Any]] = {}
    tools: dict[str, Tool] = {}
    shared: dict[str, BuildRecipe] = {}
    home: dict[str, Path] = {}
    for file in files:
        content = parse_toml(file)
        for name, table in _section(content, "tools", file).items():
            tools[name] = as_record(table, Tool, file, ("tools", name))
        for name, table in _section(content, "shared", file).items():
            shared[name] = as_record(table, BuildRecipe, file, ("shared", name))
        for name, table in content.items():
            _check_family_table(name, table, file)
            tables[name], home[name] = table, file
    families = {}
    for name, file in home.items():
        table = _inherited(name, tables, file, ())
        families[name] = family = as_record(table, Family, file, (name,))
        if family.lineage and family.lineage not in home:
            raise mistake(file, (name, "lineage"), f"there is no family '{family.lineage}'")
        _check_references(name, family, tools, shared, file)
    kin = {name: other for name in home if (other := _identified_by(name, tables)) != name}
    return Families(families=families, kin=kin, tools=tools, shared=shared)


def _section(content: dict[str, Any], key: str, file: Path) -> dict[str, Any]:
    """The section of a file under a key that is not a family (`tools`, `shared`). The section is
    removed from the file's content.
    """
    section = content.pop(key, {})
    if not isinstance(section, dict):
        raise mistake(file, (key,), "must be a table whose values are tables")
    for name in section:
        _check_name(name, (key, name), file)
    return section


def _check_family_table(name: str, table: Any, file: Path) -> None:
    """Checks the fields that inheritance needs, before the table is read as a Family."""
    _check_name(name, (name,), file)
    if not isinstance(table, dict):
        raise mistake(file, (name,), "must be a table that describes a runtime family")
    if not isinstance(table.get("like", ""), str):
        raise mistake(
            file, (name, "like"), "must be the name of another runtime family in this file"
        )
    variants = table.get("variants", {})
    if not isinstance(variants, dict):
        raise mistake(file, (name, "variants"), "must be a table whose values are tables")
    for variant in filter(None, variants):
        _check_name(variant, (name, "variants", variant), file)


def _check_name(name: str, where: tuple[str, ...], file: Path) -> None:
    if not _NAME.fullmatch(name):
        problem = (
            "a name may contain only letters, digits, '.', '+', '-' and '_', and must begin with a "
            "letter or a digit"
        )
        raise mistake(file, where, problem)


def _inherited(
    name: str, tables: dict[str, dict[str, Any]], file: Path, seen: tuple[str, ...]
) -> dict[str, Any]:
    """The table. Entries that are missing are taken from the family that `like` names; variants are
    completed one by one.
    """
    table = dict(tables[name])
    parent_name = table.pop("like", None)
    if parent_name is None:
        return table
    if parent_name not in tables or parent_name in (*seen, name):
        raise mistake(file, (name, "like"), f"no other family is named '{parent_name}'")
    parent = _inherited(parent_name, tables, file, (*seen, name))
    variants = parent.get("variants", {}) | table.get("variants", {})
    kept = {
        key: value
        for key, value in variants.items()
        if not (isinstance(value, dict) and value.get("drop"))
    }
    return parent | table | {"variants": kept}


def _identified_by(name: str, tables: dict[str, dict[str, Any]]) -> str:
    """The family whose `identify` recognises the runtimes of this family. A runtime that is
    recognised in the same way is the same implementation."""
    while "identify" not in tables[name]:
        name = tables[name]["like"]
    return name


def _check_references(
    name: str,
    family: Family,
    tools: dict[str, Tool],
    shared: dict[str, BuildRecipe],
    file: Path,
) -> None:
    """Checks that the defaults, shared builds and tools that the file refers to exist."""
    if family.default not in family.variants:
        raise mistake(
            file, (name, "default"), f"'{family.default}' is not a variant of this family"
        )
    if family.build.after and family.build.after not in shared:
        raise mistake(
            file, (name, "build", "after"), f"there is no table [shared.{family.build.after}]"
        )
    for recipe in (family.build, *shared.values()):
        for tool in recipe.tools:
            if tool not in tools:
                raise mistake(file, (name, "build", "tools"), f"there is no tool '{tool}'")
