"""`python -m runfair.fleet.worker`: the program of a step on a measuring host.

The worker describes the host, or carries out one portion of a plan in a separate folder, with the
same engine as a run on one machine.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from runfair.catalogue.discovery_cache import DiscoveryCache
from runfair.catalogue.family import catalogue_files, load_families
from runfair.errors import RunfairError, UserMistake
from runfair.evidence.run import tolerances
from runfair.experiment.engine import Engine
from runfair.experiment.program_executor import ProgramExecutor
from runfair.experiment.readings import Readings
from runfair.fleet.cluster_daemons import is_simulated
from runfair.fleet.load_progress import ProgressPrinter
from runfair.fleet.shared_load import STARTING_S, SharedGenerators
from runfair.fleet.slurm import outside_job
from runfair.fleet.slurm_answer import cause
from runfair.fleet.team import GENERATOR, Team, read_team
from runfair.formats.host import Host, KnownHost
from runfair.formats.kept_file import keeping, write_whole
from runfair.formats.place import Location
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.machine.calibration import Reference, ReferenceLoop, ensure
from runfair.machine.host import clock_is_kept, describe, interface_addresses
from runfair.machine.launching import Launcher
from runfair.machine.measurement_lock import acquire
from runfair.machine.native import LAUNCHER, REFERENCE, build_native
from runfair.machine.place import ClockUnmeasured, Place
from runfair.machine.processors import assign, pin_self
from runfair.paths import private_folder
from runfair.serving.databases import Databases
from runfair.serving.driven_executor import DrivenExecutor
from runfair.serving.executor import ServiceExecutor
from runfair.serving.place_host import PlaceHosts

# The lock may be held by another run on this host or, if hosts are made of namespaces, on the
# machine that they share.
LOCK_LIMIT_S = 24 * 3600.0
RUN = "over several hosts"


def described() -> tuple[Launcher, Host]:
    """The description of this host, with its calibration. The caller must hold the measurement
    lock."""
    launcher = Launcher(build_native(LAUNCHER))
    single = assign(1)
    pin_self(single.lab)
    found = describe(ensure(launcher, list(single.measured)))
    return launcher, found.model_copy(update={"simulated": is_simulated()})


def missing_runtimes() -> list[str]:
    """The runtimes that are ready on the host of the lab, but whose executable this host does not
    have. This host needs no compiler, because programs are built once for all hosts.

    This function reads the results of the lab's search for runtimes, and does not search again. All
    hosts share the cache of these results, and a search on a host without a runtime would remove
    the runtime from the cache.
    """
    families = load_families(catalogue_files()).families
    return sorted(
        {
            one.runtime
            for one in DiscoveryCache.read().variants
            if one.state == "ready"
            and one.executable
            and one.family in families
            and "{executable}" in families[one.family].run.command
            and not Path(one.executable).exists()
        }
    )


def carry_out_portion(folder: RunFolder) -> None:
    """Carries out every execution of the folder's plan and records each as it ends."""
    launcher, host = described()
    plan = folder.plan()
    if (team := read_team(folder.path)) is not None:
        try:
            _carry_out_services(folder, team.placed(plan), launcher, host.name, team)
        except ClockUnmeasured as failed:  # the user stated no place
            raise UserMistake(
                f"the clock of {failed.host} cannot be measured ({cause(failed.reason)}); check "
                "whether Slurm can start commands on this host (srun), and whether Python runs "
                "there"
            ) from None
        return
    write_whole(folder.host_file(host.name), host.model_dump_json(indent=1) + "\n")
    with TemporaryDirectory(prefix="reference-", dir=private_folder()) as scratch:
        reference = Reference(launcher, build_native(REFERENCE), Path(scratch))
        Engine(
            executors={
                "program": ProgramExecutor(launcher, plan, folder, host),
                "driven": DrivenExecutor(launcher, plan, folder, host),
            },
            host=host,
            plan=plan,
            folder=folder,
            tolerance=tolerances(host)["wall"],
            watcher=ProgressPrinter(),
            readings=Readings(ReferenceLoop(reference), folder),
        ).carry_out()


def _carry_out_services(
    folder: RunFolder, plan: Plan, launcher: Launcher, generator: str, team: Team
) -> None:
    """Carries out services from the generator's host. The services are measured on the hosts that
    the folder describes. The reference loop does not run, because it would measure the generator's
    host instead of the service's host."""
    described, printer = {one.name: one for one in folder.hosts()}, ProgressPrinter()
    host = described[team.described]
    with (
        Databases(launcher, folder.path / "raw") as databases,
        PlaceHosts(launcher, plan, folder.path / "raw") as hosts,
    ):
        executor = ServiceExecutor(
            launcher,
            plan,
            folder,
            host,
            databases,
            hosts,
            on_progress=printer.load,
            generator_place=Location(name=GENERATOR),
            generator_host=generator,
            further={place: described[name] for place, name in team.places_beside.items()},
        )
        if places := [Place.of(plan, name, launcher) for name in team.further_places]:
            shared = SharedGenerators(generator, places, [hosts.of(place) for place in places])
            executor.start_load, executor.starting_s = shared.start, STARTING_S
            executor.generators = places
        Engine(
            executors={"service": executor},
            host=host,
            plan=plan,
            folder=folder,
            tolerance=tolerances(host)["wall"],
            watcher=printer,
        ).carry_out()


def main() -> None:
    action, path = sys.argv[1:]
    # The steps on further hosts are not parts of this step, so they must not take its options.
    for name in os.environ.keys() - outside_job().keys():
        del os.environ[name]
    try:
        with keeping(private_folder()), acquire(RUN, wait_s=LOCK_LIMIT_S):
            if action == "describe":
                host = described()[1].model_copy(update={"clock_kept": clock_is_kept()})
                known = KnownHost(
                    host=host,
                    missing_runtimes=missing_runtimes(),
                    addresses=interface_addresses(),
                )
                write_whole(Path(path), known.model_dump_json() + "\n")
            else:
                carry_out_portion(RunFolder(Path(path)))
    except RunfairError as error:
        print(f"runfair: {error}", file=sys.stderr)
        sys.exit(error.exit_status)


if __name__ == "__main__":
    main()
