"""Artefacts, the executable forms of programs. `build()` makes an artefact, or finds an artefact
that was built earlier."""

from __future__ import annotations

import glob
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from runfair.building.build_folder import BuildSteps, changed_environment, failed_log, locked, made
from runfair.building.checksum import files_of, sha256_of_files
from runfair.building.failure import BuildFailed, BuildHindered, Unsupported, build_failed
from runfair.building.staged_sources import staged
from runfair.building.template import Values, filled, filled_environment, filled_glob, spliced
from runfair.catalogue.family import BuildRecipe, Family, FlagSource, LogReason, VariantRecipe
from runfair.catalogue.program import Edit, ProgramSource
from runfair.catalogue.runtime import recently_discovered
from runfair.errors import UserMistake
from runfair.formats.record import Record
from runfair.formats.variant import Artefact, Variant, at_least
from runfair.paths import PLATFORMS, private_folder

RECORD = "build.json"
FLAGS_LIMIT_S = 30.0


class BuildRecord(Record):
    """The record of a build, stored in the build's folder."""

    sha256: str
    files: list[str]
    flags: str


def build(
    variant: Variant,
    program: ProgramSource,
    training: Sequence[str] = (),
    *,
    counted: bool = False,
    edits: Sequence[Edit] = (),
) -> Artefact:
    """The program, built for the variant. An earlier build is used if nothing changed that the
    program depends on.

    `counted`: the build keeps its ticks in order to count operations, and is never timed. `edits`
    make a mutant. `training` has the contract's options for the training run of a profile-guided
    variant. The training options should name a small size; they are empty for a server, which does
    not end by itself. Raises Unsupported if the runtime cannot run the program, BuildFailed (naming
    the log) if a build fails that should work, BuildHindered if the build failed for a transient
    reason, and UserMistake if the variant is not ready.
    """
    family, recipe = recipe_of(variant)
    if variant.state == "unsupported":
        raise Unsupported(variant.reason)
    if variant.state == "missing" or variant.executable is None:
        raise UserMistake(f"{variant.name}: {variant.hindrance}")
    if not Path(variant.executable).exists():
        raise UserMistake(
            f"{variant.name} cannot be used, because its file {variant.executable} no longer "
            f"exists; install {variant.name} with: {family.install}"
        )
    if variant.language != program.language:
        raise Unsupported(f"{variant.name} runs {variant.language}, not {program.language}")
    if program.recipe is not None and recipe.steps is not None:
        raise Unsupported(
            "the program cannot be built for this variant, because the program's own build recipe "
            "lacks the build steps that the variant needs"
        )
    require_met(variant, program)
    job = _Job(variant, family, recipe, program, training)
    job.stage(counted, edits)
    if job.recipe.learns and not training:
        raise Unsupported(
            "profile-guided optimisation is impossible for a server: it needs a profile, which a "
            "program writes when it exits, but a server does not exit by itself"
        )
    try:
        return job.artefact()
    except BuildFailed as failure:
        told = f"{variant.name} could not build {job.builds}"
        failed = build_failed(told, failed_log(job.folder), failure)
        own = program.recipe.unsupported if program.recipe is not None else []
        reason = _known_reason([*own, *family.unsupported], job.folder)
        if reason and not isinstance(failed, BuildHindered):
            raise Unsupported(reason) from None
        raise failed from None


def recipe_of(variant: Variant) -> tuple[Family, VariantRecipe]:
    """The family and the recipe of a variant in the catalogue. Raises UserMistake if the catalogue
    no longer has the variant."""
    family = recently_discovered()[0].families.get(variant.family)
    recipe = family.variants.get(variant.name[len(variant.runtime) + 1 :]) if family else None
    if family is None or (recipe is None and variant.state == "ready"):
        raise UserMistake(
            f"{variant.name}: runtimes.toml contains no variant of this name; choose a variant "
            "from ./runfair list runtimes"
        )
    return family, recipe or VariantRecipe()


class _Job:
    """The build of a program for a variant."""

    def __init__(
        self,
        variant: Variant,
        family: Family,
        recipe: VariantRecipe,
        program: ProgramSource,
        training: Sequence[str],
    ) -> None:
        self.family = family
        self.program = program
        self.training = list(training)
        own = program.recipe
        self.recipe = own.build if own is not None else family.build
        self.run = own.run if own is not None else family.run
        self.environment = dict(family.environment)
        if recipe.steps is not None and own is None:
            self.recipe = family.build.model_copy(update={"steps": recipe.steps})
        older = family.older
        if older is not None and own is None and not at_least(variant.version, older.before):
            self.recipe = older.build
            self.environment |= older.environment
        self.variant = variant
        self.own_environment = recipe.environment
        self.flags = recipe
        self.values = _values(variant, recipe, program)
        self.staged_as = ""
        self.builds = program.name  # what is built now, for the message of a failure
        # Until the final folder is known, failures refer to a folder that has no log.
        self.folder = _builds() / variant.name / program.name / "none"

    def stage(self, counted: bool, edits: Sequence[Edit]) -> None:
        """Use a copy of the sources. The copy has ticks if `counted` is set, otherwise it has
        none."""
        if not self.program.ticked:
            return
        patterns = [*self.recipe.sources]
        if self.recipe.after:
            patterns += recently_discovered()[0].shared[self.recipe.after].sources
        self.program = staged(self.program, patterns, self.values, counted=counted, edits=edits)
        self.staged_as = self.program.root.name
        self.values = _values(self.variant, self.flags, self.program)

    def artefact(self) -> Artefact:
        values = dict(self.values)
        if self.recipe.after:
            shared = recently_discovered()[0].shared[self.recipe.after]
            self.folder = self._folder(self.recipe.after, shared, values, identity="")
            if shared.whole_suite:
                self.builds = f"the {self.program.suite} programs, which are compiled together"
            self._make(self.folder, shared, values)
            self.builds = self.program.name
            values["shared"] = str(self.folder)
        identity = _compiler(self.variant)
        self.folder = self._folder(self.variant.name, self.recipe, values, identity)
        record = self._make(self.folder, self.recipe, values)
        values["output"] = str(self.folder)
        return Artefact(
            variant=self.variant.name,
            program=self.program.name,
            command=spliced(self.run.command, values),
            environment=filled_environment(self.run.environment | self.own_environment, values),
            directory=filled(self.run.directory, values),
            sha256=record.sha256,
            files=record.files,
            flags=record.flags,
            sources=str(self.program.folder),
        )

    def _folder(
        self, owner: str, recipe: BuildRecipe, values: dict[str, str | list[str]], identity: str
    ) -> Path:
        """The folder of the recipe's result; its key is a digest of everything that the build
        depends on."""
        for tool in recipe.tools:
            values[tool] = _tool(tool)
        depends = {
            # A staged copy is named by its original content, because cargo changes the lock file in
            # it.
            "sources": self.staged_as or sha256_of_files(self._sources(recipe), self.program.root),
            "identity": identity,
            "platform": sha256_of_files(self._platform(recipe), PLATFORMS),
            "tools": [_stamp(str(values[tool])) for tool in recipe.tools],
            "recipe": recipe.model_dump(mode="json"),
            "environment": self.environment,
            # If the lab's own interpreter runs a step, the interpreter does not affect the result.
            "values": {key: value for key, value in values.items() if key != "lab_python"},
            "training": self.training if recipe.learns else [],
        }
        if owner != self.variant.name:
            # Several runtimes share this build, so its key does not depend on the runtime.
            own = ("suite",) if recipe.whole_suite else ("folder", "main")
            depends["values"] = {key: values[key] for key in (*own, *recipe.tools)}
            depends["environment"] = {}
        key = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:16]
        name = self.program.suite if recipe.whole_suite else self.program.name
        return _builds() / owner / name / key

    def _sources(self, recipe: BuildRecipe) -> list[Path]:
        return files_of(filled_glob(pattern, self.values) for pattern in recipe.sources)

    def _platform(self, recipe: BuildRecipe) -> list[Path]:
        return files_of(filled_glob(pattern, self.values) for pattern in recipe.platform)

    def _make(
        self, folder: Path, recipe: BuildRecipe, values: Mapping[str, str | Sequence[str]]
    ) -> BuildRecord:
        def make(staging: Path) -> None:
            inside = {**values, "output": str(staging)}
            steps = BuildSteps(staging, filled_environment(self.environment, inside))
            with exclusive(recipe):
                for step in recipe.steps:
                    command = spliced(step.run, inside) + (self.training if step.training else [])
                    steps.run(
                        command,
                        Path(filled(recipe.directory, inside)),
                        filled_environment(step.environment, inside),
                    )
            record = self._record(recipe, staging, folder, inside, steps)
            (staging / RECORD).write_text(record.model_dump_json(indent=1), encoding="utf-8")

        made(folder, make)
        return BuildRecord.model_validate_json((folder / RECORD).read_bytes())

    def _record(
        self, recipe: BuildRecipe, staging: Path, folder: Path, values: Values, steps: BuildSteps
    ) -> BuildRecord:
        products = files_of(f"{glob.escape(str(staging))}/{pattern}" for pattern in recipe.product)
        if recipe.product and not products:
            raise BuildFailed(
                "the build's commands succeeded, but made no file that matches "
                f"{', '.join(recipe.product)}; correct `product` or the commands in the build "
                "recipe"
            )
        if products:
            sha256 = sha256_of_files(products, staging)
            files = [str(folder / product.relative_to(staging)) for product in products]
        elif "shared" in values:
            shared = Path(str(values["shared"]))
            kept = BuildRecord.model_validate_json((shared / RECORD).read_bytes())
            sha256, files = kept.sha256, kept.files
        else:
            sources = self._sources(recipe)
            sha256 = sha256_of_files(sources, self.program.root)
            files = [str(source) for source in sources]
        flags = _flags(recipe.flags, values, steps, self.environment)
        return BuildRecord(sha256=sha256, files=files, flags=flags)


def require_met(variant: Variant, program: ProgramSource) -> None:
    """Raise Unsupported if the variant lacks something that the program needs."""
    own = program.recipe.needs if program.recipe is not None else {}
    if program.oldest and not at_least(variant.version, program.oldest):
        raise Unsupported(
            f"the {program.tier} program needs version {program.oldest} or newer of the runtime"
        )
    for setting, value in {**program.needs, **own}.items():
        if setting in variant.lacks or variant.settings.get(setting, value) != value:
            raise Unsupported(
                f"the {program.tier} program needs a variant with the setting {setting} = "
                f"{json.dumps(value)}"
            )


def exclusive(recipe: BuildRecipe) -> AbstractContextManager[None]:
    """A lock for builds that write to the same folder."""
    if not recipe.alone:
        return nullcontext()
    return locked(private_folder() / f"{recipe.alone}.lock")


def _values(
    variant: Variant, recipe: VariantRecipe, program: ProgramSource
) -> dict[str, str | list[str]]:
    executable = str(variant.executable)
    return {
        "executable": executable,
        "bin": str(Path(executable).parent),
        "real_bin": str(Path(executable).resolve().parent),
        "version": variant.runtime[len(variant.family) + 1 :].partition("@")[0],
        "private": str(private_folder()),
        "family": variant.implementation,
        "lab_python": sys.executable,
        "platforms": str(PLATFORMS),
        "benchmarks": str(program.root),
        "harness": str(program.root / "harness"),
        "folder": str(program.folder),
        "suite": program.suite,
        "benchmark": program.benchmark,
        "tier": program.tier,
        "package": program.package,
        "module": program.module,
        "crate": program.crate,
        "main": program.main or program.benchmark,
        "flags": list(recipe.flags),
        "joined_flags": " ".join(recipe.flags),
    }


def _builds() -> Path:
    return private_folder() / "builds"


def _compiler(variant: Variant) -> str:
    return f"{variant.identity} {_stamp(str(variant.executable))}"


def _stamp(program: str) -> str:
    """The identity of a compiler's file: its size and time. If a compiler is rebuilt in place, its
    size and time change, although the version stays the same."""
    status = Path(program).stat()
    return f"{program} {status.st_size} {status.st_mtime_ns}"


def _tool(name: str) -> str:
    families, discovery = recently_discovered()
    path = discovery.tools.get(name)
    if path is None:
        tool = families.tools[name]
        # The tool is needed by a program's own recipe. If the family itself needed it, the family's
        # variants would be missing.
        raise Unsupported(
            f"{name} {tool.minimum} or newer is missing; install it with: {tool.install}"
        )
    return path


def _flags(
    source: FlagSource, values: Values, steps: BuildSteps, environment: Mapping[str, str]
) -> str:
    """The flags that the artefact or its build reports, without duplicate lines."""
    if source.command:
        command = spliced(source.command, values)
        try:
            outcome = subprocess.run(
                command,
                env=changed_environment(filled_environment(environment, values)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=FLAGS_LIMIT_S,
                check=False,
            )
        except OSError as error:
            raise BuildFailed(
                "the build's flags are unknown, because the command that should print them, "
                f"{command[0]}, cannot be started: {error.strerror}"
            ) from None
        except subprocess.TimeoutExpired:
            raise BuildFailed(
                "the build's flags are unknown, because the command that should print them, "
                f"{command[0]}, did not end within {FLAGS_LIMIT_S:g} s"
            ) from None
        text, pattern = outcome.stdout.decode("utf-8", "replace"), source.pattern
        if outcome.returncode != 0:
            raise BuildFailed(
                "the build's flags are unknown, because the command that should print them, "
                f"{command[0]}, failed"
            )
    elif source.log:
        text, pattern = steps.log.read_text("utf-8", "replace"), source.log
    else:
        return ""
    found = [match.group(1).strip() for match in re.finditer(pattern, text, re.MULTILINE)]
    if not found:
        raise BuildFailed(
            "runfair found no compiler flags in the build's output, because no text matches "
            f"{pattern!r}; correct the pattern in `flags` of the build recipe"
        )
    return "\n".join(dict.fromkeys(re.sub(r"\s+", " ", line) for line in found))


def _known_reason(reasons: Sequence[LogReason], folder: Path) -> str:
    log = failed_log(folder)
    if not log.is_file():
        return ""
    text = log.read_text("utf-8", "replace")
    known = (entry.reason for entry in reasons if re.search(entry.log, text))
    return next(known, "")
