"""From a run on disk to its result: evidence, verdict, model; the derived files are renewed."""

from __future__ import annotations

import numpy as np

from runfair.errors import UserMistake
from runfair.fairness.evidence import RunEvidence, gather
from runfair.fairness.verdict import judge
from runfair.formats.result import RunResult
from runfair.formats.run_folder import RunFolder, keeping, write_whole
from runfair.report.markdown import markdown
from runfair.report.model import assemble


def evidence_of(folder: RunFolder) -> RunEvidence:
    """Everything the checks look at. UserMistake where this version cannot read the folder."""

    def iterations(execution: str) -> tuple[np.ndarray, np.ndarray]:
        wall_ns, cpu_ns = folder.iterations(execution)
        return np.asarray(wall_ns, dtype=np.int64), np.asarray(cpu_ns, dtype=np.int64)

    return gather(folder.plan(), folder.host(), folder.executions(), iterations)


def assess(folder: RunFolder) -> tuple[RunResult, str]:
    """The run's result, and why the derived files could not be renewed ("" where they were).

    `verdict.json` and `tables.md` are written beside the records; a recorded run can be read where
    nothing can be written.
    """
    evidence = evidence_of(folder)
    judged = judge(evidence)
    result = assemble(folder.path.name, evidence, judged)
    try:
        with keeping(folder.path):
            write_whole(folder.path / "verdict.json", judged.model_dump_json(indent=1) + "\n")
            write_whole(folder.path / "tables.md", markdown(result))
    except UserMistake as mistake:
        return result, str(mistake)
    return result, ""
