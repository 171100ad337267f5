"""Canonical answers: the digest and counts that every program must report, for each workload, size,
seed and set of parameters.

The answers are stored in `answers.json` beside the benchmark's contract. `./runfair verify
--record` records an answer only if programs in at least two languages agree on it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.program import Digest
from runfair.formats.record import Record, Scalar

FILE_NAME = "answers.json"


class Answer(Record):
    """A canonical answer. `form` is empty if the benchmark has a single form. `params` replace
    parameters of the size. `input_sha256` is the hash of the generated input; it is None if the
    benchmark has no input."""

    form: str = ""
    workload: str
    size: str
    params: dict[str, Scalar] = {}
    seed: int
    digest: Digest
    operations: dict[str, int]
    input_sha256: str | None = None

    @property
    def work(self) -> tuple[str, str, int, str, str]:
        params = json.dumps(self.params, sort_keys=True)
        return (self.size, self.workload, self.seed, self.form, params)


class Answers(Record):
    answers: list[Answer] = []

    def replacing(self, new: Sequence[Answer]) -> Answers:
        """These answers and the answers in `new`; a new answer replaces the old answer for the same
        work."""
        merged = {answer.work: answer for answer in (*self.answers, *new)}
        return Answers(answers=[merged[work] for work in sorted(merged)])


def read_answers(folder: Path) -> Answers:
    path = folder / FILE_NAME
    if not path.exists():
        return Answers()
    try:
        return Answers.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserMistake(
            f"{path}: this is not a file of answers ({error.errors()[0]['msg']})"
        ) from None


def write_answers(folder: Path, answers: Answers) -> None:
    text = answers.model_dump_json(indent=1, exclude_defaults=True)
    (folder / FILE_NAME).write_text(text + "\n")
