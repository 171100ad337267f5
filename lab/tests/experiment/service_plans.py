"""Plans of services, on a machine on which all is built already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiment.plans import variant
from runfair.catalogue.experiment import read_experiment
from runfair.experiment.plan_draft import Request
from runfair.experiment.planning import resolve
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import DatabaseUse, OperatingPoint
from runfair.formats.variant import Variant

PAY = 'benchmark = "payments"\nservices = ["fastify"]\nrate = 500\n'


def known(name: str, family: str, language: str, version: str, **changes: Any) -> Variant:
    values: dict[str, Any] = {"family": family, "version": version, **changes}
    return variant(name, language).model_copy(update=values)


NODE = known("node-22.1.0", "node", "javascript", "22.1.0", default=True)
OLD_NODE = known("node-18.0.0", "node", "javascript", "18.0.0")
INTERPRETED = known("node-22.1.0+jitless", "node", "javascript", "22.1.0", settings={"jit": False})
BUN = known("bun-1.4.5", "bun", "javascript", "1.4.5")
CPYTHON = known("cpython-3.12.0", "cpython", "python", "3.12.0")
NEWER = known("cpython-3.13.0", "cpython", "python", "3.13.0")
PYPY = known("pypy-3.11.0", "pypy", "python", "3.11.0", default=True, state="missing")
VARIANTS = [INTERPRETED, OLD_NODE, NODE, BUN, CPYTHON, NEWER, PYPY]


def plan_of(folder: Path, text: str, steps: list[str] | None = None, **request: Any) -> Plan:
    """The plan of an experiment's file."""
    path = folder / "mine.toml"
    path.write_text(text)
    heard = steps if steps is not None else []
    return resolve(read_experiment(str(path)), Request("quick", **request), heard.append)


def serve(rest: str = PAY) -> str:
    return f'baseline = "javascript"\n[[serve]]\n{rest}'


def own(folder: Path, service: str, rest: str = "") -> str:
    traffic = folder / "shop.jsonl"
    traffic.write_text('{"method": "GET", "path": "/"}\n')
    return (
        'baseline = "mine"\n[[serve]]\nservices = ["mine"]\nrate = 50\n'
        f'traffic = "{traffic}"\n{rest}'
        f"[services.mine]\n{service}"
    )


def asked(cell: Cell) -> OperatingPoint:
    assert cell.service is not None
    return cell.service.point


def database_of(cell: Cell) -> DatabaseUse | None:
    assert cell.service is not None
    return cell.service.database
