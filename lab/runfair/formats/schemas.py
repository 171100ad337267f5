"""The JSON Schemas of all files, generated from the records.

`python -m runfair.formats.schemas` writes the schemas to `schemas/`. A test fails if these files
are out of date.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from runfair.formats.answer import Answers
from runfair.formats.checks import ChecksResult
from runfair.formats.comparison import Comparison
from runfair.formats.decision import ANSWERS
from runfair.formats.event import Event
from runfair.formats.execution import Execution
from runfair.formats.finding import VerdictFile
from runfair.formats.foreign.result import Audit
from runfair.formats.history import History
from runfair.formats.host import Host, KnownHost, ReferenceReading
from runfair.formats.instructions import InstructionResult
from runfair.formats.launch import LaunchReport
from runfair.formats.load_shares import LoadShares
from runfair.formats.machines import RunMachines
from runfair.formats.plan import Plan
from runfair.formats.probe import ProbedExecution, ProbedProcess, ProbeResult
from runfair.formats.program import EVENT
from runfair.formats.record import Record, Row
from runfair.formats.result import RunResult
from runfair.formats.service import Usage
from runfair.formats.source_lines import SourceLines
from runfair.formats.traffic import Conversion, Replay
from runfair.formats.variant import LISTING
from runfair.paths import SCHEMAS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

RECORDS: dict[str, type[Record | Row]] = {
    "experiment": Plan,
    "execution": Execution,
    "machine": Host,
    "fleet": RunMachines,
    "known-host": KnownHost,
    "launch": LaunchReport,
    "event": Event,
    "usage": Usage,
    "load-shares": LoadShares,
    "reference": ReferenceReading,
    "source-lines": SourceLines,
    "probed-process": ProbedProcess,
    "probed-execution": ProbedExecution,
    "probe": ProbeResult,
    "checks": ChecksResult,
    "instructions": InstructionResult,
    "audit": Audit,
    "verdict": VerdictFile,
    "result": RunResult,
    "comparison": Comparison,
    "history": History,
    "answers": Answers,
    "conversion": Conversion,
    "replay": Replay,
}


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas, by file name below `schemas/`."""
    made = {name: TypeAdapter(record).json_schema() for name, record in RECORDS.items()}
    made["program"] = EVENT.json_schema()
    made["list"] = LISTING.json_schema()
    made["decision"] = ANSWERS.json_schema()
    return {f"{name}.schema.json": {"$schema": DIALECT, **schema} for name, schema in made.items()}


def text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def write(folder: Path = SCHEMAS) -> None:
    folder.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(text(schema), encoding="utf-8")


if __name__ == "__main__":
    write()
