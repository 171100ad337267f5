import os
import subprocess
import sys
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine.processors import Assignment, assign, plain_topology, read_topology

ALL_16 = range(16)


def test_guest_gives_the_lab_the_lower_processor(guest: Path) -> None:
    machine = read_topology(guest, {0, 1})
    assert assign(1, machine) == Assignment(measured=(1,), lab=(0,), limitation=None)


def test_guest_measured_whole_says_that_the_lab_shares(guest: Path) -> None:
    found = assign(2, read_topology(guest, {0, 1}))
    assert found.measured == (0, 1)
    assert found.lab == (0, 1)
    assert found.limitation == (
        "no processor is left for runfair itself, so it runs on the measured processors 0-1 and "
        "may disturb the programs"
    )


def test_the_load_generator_has_a_processor_of_its_own_where_there_are_two(
    guest: Path, laptop: Path
) -> None:
    one = assign(1, read_topology(guest, {0, 1}))
    assert (one.generator, one.beside) == ((0,), (0,))
    many = assign(4, read_topology(laptop, ALL_16))
    assert (many.generator, many.beside) == ((0,), (1, 2, 3, 8, 9, 10, 11))


def test_of_a_plain_machine_the_programs_and_the_lab_have_a_part_each() -> None:
    machine = plain_topology(4)
    assert assign(3, machine) == Assignment(measured=(1, 2, 3), lab=(0,), limitation=None)
    with pytest.raises(UserMistake, match=r"5 processors, but .* may use only 4 \(0-3\)"):
        assign(5, machine)


def test_more_than_there_are_is_the_users_mistake(guest: Path) -> None:
    with pytest.raises(UserMistake, match=r"3 processors, but .* may use only 2 \(0-1\)"):
        assign(3, read_topology(guest, {0, 1}))
    with pytest.raises(UserMistake, match="at least 1"):
        assign(0, read_topology(guest, {0, 1}))


def test_laptop_takes_one_thread_a_core_and_keeps_the_lab_off_their_siblings(
    laptop: Path,
) -> None:
    found = assign(4, read_topology(laptop, ALL_16))
    assert found.measured == (12, 13, 14, 15)
    assert found.lab == (0, 1, 2, 3, 8, 9, 10, 11)
    assert found.limitation is None


def test_laptop_with_all_cores_measured_says_that_cores_are_shared(laptop: Path) -> None:
    found = assign(8, read_topology(laptop, ALL_16))
    assert found.measured == tuple(range(8, 16))
    assert found.lab == tuple(range(8))
    assert found.limitation is not None
    assert "shares cores" in found.limitation


def test_laptop_takes_second_threads_only_when_cores_run_out(laptop: Path) -> None:
    assert assign(9, read_topology(laptop, ALL_16)).measured == (7, *range(8, 16))


def test_server_measures_one_on_an_isolated_processor(server: Path) -> None:
    # Booting with isolcpus leaves these out of the default affinity.
    machine = read_topology(server, set(ALL_16) - {6, 7, 14, 15})
    found = assign(1, machine)
    assert found.measured == (15,)
    assert not set(found.lab) & {6, 7, 14, 15}
    assert found.limitation is None


def test_server_measures_several_in_one_node_where_threads_are_balanced(server: Path) -> None:
    found = assign(4, read_topology(server, set(ALL_16) - {6, 7, 14, 15}))
    assert found.measured == (10, 11, 12, 13)
    assert found.limitation is None


def test_server_crosses_nodes_only_when_one_is_too_small(server: Path) -> None:
    found = assign(7, read_topology(server, set(ALL_16) - {6, 7, 14, 15}))
    assert found.measured == (5, 8, 9, 10, 11, 12, 13)


def test_several_isolated_ones_carry_a_limitation(server: Path) -> None:
    found = assign(2, read_topology(server, {14, 15}))
    assert found.measured == (14, 15)
    assert found.limitation is not None
    assert "does not move threads between isolated processors (14-15)" in found.limitation


def test_the_nodes_that_can_hold_all_win_over_higher_numbers(server: Path) -> None:
    # The user left only two of the second node.
    found = assign(4, read_topology(server, {0, 1, 2, 3, 4, 8, 9}))
    assert found.measured == (1, 2, 3, 4)


def test_a_narrower_affinity_is_kept_even_beside_isolated_ones(server: Path) -> None:
    assert read_topology(server, {2, 3}).allowed == {2, 3}


def test_container_keeps_to_its_cpuset(container: Path) -> None:
    machine = read_topology(container, range(8))
    assert machine.allowed == {2, 3}
    assert assign(1, machine) == Assignment(measured=(3,), lab=(2,), limitation=None)
    with pytest.raises(UserMistake):
        assign(3, machine)


def test_container_seen_from_the_host_by_version_1(container: Path) -> None:
    (container / "sys/fs/cgroup/cpuset.cpus.effective").unlink()
    (container / "proc/self/cgroup").write_text("4:memory:/x\n3:cpuset:/docker/abc\n0::/\n")
    folder = container / "sys/fs/cgroup/cpuset/docker/abc"
    folder.mkdir(parents=True)
    (folder / "cpuset.effective_cpus").write_text("5,7\n")
    assert read_topology(container, range(8)).allowed == {5, 7}


def test_small_cores_are_left_to_the_lab(laptop: Path) -> None:
    atoms = laptop / "sys/devices/cpu_atom/cpus"
    atoms.parent.mkdir(parents=True)
    atoms.write_text("4-7,12-15\n")
    machine = read_topology(laptop, ALL_16)
    assert assign(2, machine).measured == (10, 11)
    uneven = assign(6, machine).limitation
    assert uneven is not None
    assert "14-15 are slower" in uneven


def test_arm_tells_small_cores_by_capacity(guest: Path) -> None:
    (guest / "sys/devices/system/cpu/cpu1/cpu_capacity").write_text("446\n")
    assert assign(1, read_topology(guest, {0, 1})).measured == (0,)


def test_a_kernel_that_tells_nothing_still_gives_processors(tmp_path: Path) -> None:
    machine = read_topology(tmp_path, {0, 1, 2})
    assert assign(2, machine).measured == (1, 2)
    assert {each.core for each in machine.processors} == {None}


def test_this_machine_is_read() -> None:
    machine = read_topology()
    assert machine.allowed
    assert machine.allowed <= {each.number for each in machine.processors}


PINNED = """
import os, threading
from runfair.machine.processors import assign, pin_self, read_topology
ready, stop = threading.Event(), threading.Event()
tid = []
def work():
    tid.append(threading.get_native_id()); ready.set(); stop.wait()
thread = threading.Thread(target=work, daemon=True); thread.start(); ready.wait()
before = read_topology().allowed
pin_self([max(before)])
assert os.sched_getaffinity(0) == {max(before)}
assert os.sched_getaffinity(tid[0]) == {max(before)}
assert read_topology().allowed == before, "pinning itself must not shrink what can be measured"
"""


def test_pinning_itself_reaches_every_thread_and_is_not_taken_for_the_users_wish() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PINNED],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
