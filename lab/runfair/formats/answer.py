"""Canonical answers: what every program must say, for each workload, size and seed.

They stand in `answers.json` beside the benchmark's contract, recorded by `./runfair verify
--record` only when programs in at least two languages agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.program import Digest
from runfair.formats.record import Record

FILE_NAME = "answers.json"


class Answer(Record):
    """`input_sha256` is of the generated input, None where the benchmark has none."""

    workload: str
    size: str
    seed: int
    digest: Digest
    operations: dict[str, int]
    input_sha256: str | None = None


class Answers(Record):
    answers: list[Answer] = []

    def find(self, workload: str, size: str, seed: int) -> Answer | None:
        for answer in self.answers:
            if (answer.workload, answer.size, answer.seed) == (workload, size, seed):
                return answer
        return None

    def replacing(self, new: Sequence[Answer]) -> Answers:
        """These answers with those of `new` in place of older ones for the same work."""
        merged = {(a.workload, a.size, a.seed): a for a in (*self.answers, *new)}
        return Answers(answers=sorted(merged.values(), key=lambda a: (a.size, a.workload, a.seed)))


def read_answers(folder: Path) -> Answers:
    path = folder / FILE_NAME
    if not path.exists():
        return Answers()
    try:
        return Answers.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserMistake(f"{path}: not a file of answers: {error.errors()[0]['msg']}") from None


def write_answers(folder: Path, answers: Answers) -> None:
    (folder / FILE_NAME).write_text(answers.model_dump_json(indent=1, exclude_none=True) + "\n")
