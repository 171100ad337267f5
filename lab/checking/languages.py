"""The languages that programs are written in, and the command that installs a runtime of each."""

from __future__ import annotations

from checking.step import Counted, Output, Skipped, Step
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.runtime import discovered


def languages_without_runtime() -> Step:
    """A step that lists the languages without a runtime on this machine; `verify` runs
    the others.
    """
    name = "a runtime of every language"

    def run(_: Output) -> Counted:
        ready = {one.language for one in discovered()[1].variants if one.state == "ready"}
        wanted = {program.language for one in benchmarks().values() for program in one.programs}
        counted = Counted()
        for language in sorted(wanted):
            if language in ready:
                counted += Counted(passed=1)
            else:
                reason = f"none runs {language} here; to install one: {install_line(language)}"
                counted += Counted(skipped=(Skipped(name, reason),))
        return counted

    return Step(name, run)


def install_line(name: str) -> str | None:
    """The command that installs a runtime of the language, or of the family, with this name."""
    families = discovered()[0].families
    of_language = [family for family in families.values() if family.language == name]
    if of_language:
        return min(of_language, key=lambda family: family.preference).install
    return families[name].install if name in families else None
