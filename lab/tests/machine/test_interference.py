import os
from pathlib import Path

from runfair.machine.interference import (
    BusyProcess,
    ProcessTimes,
    busy_between,
    load,
    read_processes,
)

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def stat_line(pid: int, name: str, parent: int, user: int, system: int) -> str:
    return f"{pid} ({name}) R {parent} 1 1 0 -1 4194304 90 0 0 0 {user} {system} 0 0 20 0 1 0\n"


def test_names_with_spaces_and_parentheses_are_read(tmp_path: Path) -> None:
    for pid, name in ((12, "a) b (c"), (13, "plain")):
        folder = tmp_path / "proc" / str(pid)
        folder.mkdir(parents=True)
        (folder / "stat").write_text(stat_line(pid, name, 5, 30, 12))
    (tmp_path / "proc" / "sys").mkdir()
    assert read_processes(tmp_path) == {
        12: ProcessTimes("a) b (c", 5, 42),
        13: ProcessTimes("plain", 5, 42),
    }


def test_only_others_and_only_the_busy_ones_count() -> None:
    def reading(ticks: int) -> dict[int, ProcessTimes]:
        return {
            1: ProcessTimes("init", 0, 0),
            10: ProcessTimes("lab", 1, ticks),
            11: ProcessTimes("launcher", 10, ticks),
            12: ProcessTimes("program", 11, ticks),
            20: ProcessTimes("compiler", 1, ticks // 2),
            21: ProcessTimes("browser", 1, ticks),
            22: ProcessTimes("idle", 1, ticks // 100),
        }

    after = {**reading(TICKS_PER_S), 30: ProcessTimes("new", 1, 10 * TICKS_PER_S)}
    busy = busy_between(reading(0), after, 1.0, own_pid=10)
    assert busy == (BusyProcess(21, "browser", 1.0), BusyProcess(20, "compiler", 0.5))


def test_a_loop_of_parents_ends() -> None:
    before = {5: ProcessTimes("a", 6, 0), 6: ProcessTimes("b", 5, 0)}
    after = {5: ProcessTimes("a", 6, TICKS_PER_S), 6: ProcessTimes("b", 5, 0)}
    assert [each.pid for each in busy_between(before, after, 1.0, own_pid=99)] == [5]


def test_load_is_read_or_none(laptop: Path, tmp_path: Path) -> None:
    assert load(laptop) == 3.1
    assert load(tmp_path) is None


def test_this_process_is_seen() -> None:
    me = read_processes()[os.getpid()]
    assert me.parent == os.getppid()
    assert me.ticks > 0
