"""The lab's own CPU time during a run, as a share of the measured programs'.

    python lab/benchmarks/lab_overhead.py [PROFILE]

Measures the default experiment, as `./runfair run` does, and prints the CPU time of the lab while
it carries the plan out, of the launchers, and of the programs. The budget is 2% in `quick`. The
run is kept among the results.
"""

from __future__ import annotations

import resource
import sys

from runfair.catalogue.experiment import read_experiment
from runfair.catalogue.profile import profile_name
from runfair.cli.measuring import carry_out, prepare_machine
from runfair.experiment.plan_draft import Request
from runfair.experiment.planning import resolve
from runfair.formats.run_folder import RunFolder
from runfair.machine.measurement_lock import acquire
from runfair.paths import results_folder


def own_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    profile = profile_name(sys.argv[1] if len(sys.argv) > 1 else "quick")
    plan = resolve(read_experiment("default"), Request(profile), lambda _: None)
    with acquire("lab overhead", wait_s=600):
        launcher, host = prepare_machine(plan)
        folder = RunFolder.create(results_folder(), plan, host)
        before_s = own_cpu_s()
        carry_out(folder, plan, host, launcher)
        lab_s = own_cpu_s() - before_s
        executions = folder.executions()
    programs_s = sum(one.launch.cpu_ns for one in executions) / 1e9
    launchers_s = sum(one.launch.launcher_cpu_ns for one in executions) / 1e9
    print(f"programs   {programs_s:9.2f} s of CPU time in {len(executions)} executions")
    print(f"lab        {lab_s:9.2f} s  {lab_s / programs_s:.2%}")
    print(f"kept in    {folder.path}")
    print(f"launchers  {launchers_s:9.2f} s  {launchers_s / programs_s:.2%}")


if __name__ == "__main__":
    main()
