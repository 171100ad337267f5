"""A cache of candidates' answers. An answer is kept until the candidate's file changes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from pydantic import ValidationError

from runfair.catalogue.candidate import Candidate, Identification, identify, passes
from runfair.catalogue.family import Identify, VariantRecipe
from runfair.catalogue.found_runtime import FoundRuntime
from runfair.formats.record import Record
from runfair.formats.variant import Variant
from runfair.paths import private_folder

# If a candidate hung on a busy machine, or if its disk was not mounted, it is asked again after an
# hour.
RETRY_AFTER_NS = 3600 * 10**9


class DiscoveryCache(Record):
    """The cache file. An answer is stored under the question and the file (path, size, time), so it
    is valid until the question or the file changes. `variants` are stored so that variants that
    vanish are noticed.
    """

    asked_realtime_ns: int = 0
    variants: list[Variant] = []
    answers: dict[str, dict[str, object]] = {}

    @classmethod
    def read(cls) -> DiscoveryCache:
        """The stored cache. The cache is empty if the file is missing or incomplete, or was written
        by another release.
        """
        try:
            return cls.model_validate_json(_file().read_bytes())
        except (OSError, ValidationError):
            return cls()

    def write(self) -> None:
        """Stores the cache, unless the folder cannot be written."""
        file = _file()
        part = file.with_name(f"{file.name}.{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(self.model_dump_json(), encoding="utf-8")
            part.replace(file)

    @property
    def stale(self) -> bool:
        """Whether a candidate that failed to answer should be asked again now."""
        return time.time_ns() - self.asked_realtime_ns > RETRY_AFTER_NS and any(
            _is_failure(answer) for answer in self.answers.values()
        )

    @property
    def given(self) -> dict[str, dict[str, object]]:
        """The answers of all candidates that did not fail."""
        return {key: told for key, told in self.answers.items() if not _is_failure(told)}


class Answers:
    """The answers of candidates. A candidate is asked only if its answer is not stored."""

    def __init__(self, remembered: dict[str, dict[str, object]]) -> None:
        self._remembered = remembered
        self.asked: dict[str, dict[str, object]] = {}
        self.anew = False

    def of(self, question: Identify, candidate: Candidate) -> Identification:
        """The identification of a candidate."""
        key = _digest("identify", question.model_dump_json(), json.dumps(asdict(candidate)))
        known = self._known(key, lambda: asdict(identify(question, candidate)))
        facts = known.get("facts")
        return Identification(
            facts={str(k): str(v) for k, v in facts.items()} if isinstance(facts, dict) else {},
            reason=str(known.get("reason", "")),
            other=bool(known.get("other")),
        )

    def passes(self, recipe: VariantRecipe, runtime: FoundRuntime) -> bool:
        """Whether a variant's own check succeeds. A variant without a check passes."""
        check = recipe.check
        if check is None:
            return True
        command = [runtime.filled(part) for part in check.command]
        key = _digest(
            "check",
            check.pattern,
            json.dumps([command, asdict(runtime.candidate), *_libraries(runtime)]),
        )
        known = self._known(key, lambda: {"passes": passes(check, command)})
        return bool(known.get("passes"))

    def _known(self, key: str, ask: Callable[[], dict[str, object]]) -> dict[str, object]:
        known = self.asked.get(key) or self._remembered.get(key)
        if known is None:
            known = ask()
            self.anew = True
        self.asked[key] = known
        return known


def _libraries(runtime: FoundRuntime) -> list[str]:
    """The folders beside an executable whose content a check may depend on (a JDK's virtual
    machines).
    """
    library = Path(runtime.candidate.real).parent.parent / "lib"
    try:
        return (
            sorted(entry.name for entry in library.iterdir())
            if library.parent != Path("/usr")
            else []
        )
    except OSError:
        return []


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _is_failure(answer: dict[str, object]) -> bool:
    return bool(answer.get("reason")) and not answer.get("other")


def _file() -> Path:
    return private_folder() / "cache" / "runtimes.json"
