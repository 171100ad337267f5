"""Records of the simulated runs as a folder on disk."""

from __future__ import annotations

import json
from pathlib import Path

from evidence.records import Records
from runfair.formats.run_folder import RunFolder


def stored(records: Records, results: Path) -> RunFolder:
    folder = RunFolder.create(results, records.plan, records.host)
    for record in records.executions:
        folder.append(record)
        wall_ns, cpu_ns = records.series[record.id]
        lines = [
            json.dumps({"wall_ns": wall, "cpu_ns": cpu})
            for wall, cpu in zip(wall_ns.tolist(), cpu_ns.tolist(), strict=True)
        ]
        folder.iterations_file(record.id).write_text("".join(f"{line}\n" for line in lines))
    return folder
