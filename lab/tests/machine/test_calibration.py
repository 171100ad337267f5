from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from runfair.errors import InvalidResult
from runfair.formats.host import Calibration
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.machine import calibration
from runfair.machine.calibration import (
    ITERATIONS,
    LaunchedReference,
    Reference,
    ReferenceRun,
    measure,
    parse_reference,
)
from runfair.machine.launching import Launcher

WALL_NS = 150_000_000
REFERENCE_NS = 50_000_000


def report(foreign_ns: int | None, steal_ns: int | None, processors: list[int]) -> LaunchReport:
    ended = LaunchOutcome(state="exited", exit_status=0)
    return LaunchReport.placeholder(ended, processors).model_copy(
        update={
            "wall_ns": WALL_NS,
            "processes": 1,
            "foreign_ns": foreign_ns,
            "foreign_source": "stat",
            "steal_ns": steal_ns,
        }
    )


@dataclass
class SimulatedMachine:
    """A reference loop whose noise is known; `drift` is over the whole calibration."""

    seed: int
    runs: int
    sd_wall: float = 0.02
    sd_cpu: float = 0.005
    drift: float = 0.0
    foreign_share: float | None = 0.0
    steal_share: float | None = 0.0
    done: int = 0
    generator: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(self.seed)

    def __call__(self, processors: Sequence[int]) -> ReferenceRun:
        trend = (1 + self.drift) ** (self.done / (self.runs - 1))
        started_ns = self.done * WALL_NS
        self.done += 1
        available_ns = WALL_NS * len(processors)

        def taken(share: float | None) -> int | None:
            return None if share is None else round(share * available_ns)

        return ReferenceRun(
            started_ns,
            REFERENCE_NS * trend * float(np.exp(self.generator.normal(0, self.sd_wall))),
            REFERENCE_NS * trend * float(np.exp(self.generator.normal(0, self.sd_cpu))),
            report(taken(self.foreign_share), taken(self.steal_share), list(processors)),
        )


def calibrated(seed: int = 1, pairs: int = 20, **machine: float | None) -> Calibration:
    simulated = SimulatedMachine(seed, 2 * pairs, **machine)  # type: ignore[arg-type]
    return measure(simulated, [3], pairs, [])


def true_floor(sd: float, pairs: int) -> float:
    """The half-width that paired differences of this spread have when their sd is known."""
    return float(np.expm1(stats.t.ppf(0.975, pairs - 1) * sd * np.sqrt(2 / pairs)))


def test_the_floor_of_known_noise_is_recovered() -> None:
    found = [calibrated(seed) for seed in range(40)]
    for each in found:
        # The sample sd of 20 pairs lies within 0.6 to 1.5 of the true one (chi, 19 df, 99.9%).
        assert 0.45 < each.noise_floor_wall / true_floor(0.02, 20) < 1.7
        assert 0.45 < each.noise_floor_cpu / true_floor(0.005, 20) < 1.7
    mean = np.mean([each.noise_floor_wall for each in found])
    assert 0.9 < mean / true_floor(0.02, 20) < 1.1


def test_drift_is_seen_and_does_not_widen_the_floor() -> None:
    still = [calibrated(seed) for seed in range(20)]
    moving = [calibrated(seed, drift=0.04) for seed in range(20)]
    assert np.mean([each.reference_drift for each in moving]) == pytest.approx(0.04, abs=0.005)
    assert abs(np.mean([each.reference_drift for each in still])) < 0.005
    ratio = np.mean([m.noise_floor_cpu for m in moving]) / np.mean(
        [s.noise_floor_cpu for s in still]
    )
    assert 0.8 < ratio < 1.3


def test_sides_alternate_so_that_drift_favours_neither() -> None:
    # Without noise a drift of 4% over 40 runs is 0.1% a run; A B A B would make B that much
    # slower in every pair, with no spread at all. Alternating, the pairs disagree.
    found = calibrated(drift=0.04, sd_wall=0.0, sd_cpu=0.0)
    per_run = 1.04 ** (1 / 39) - 1
    expected = stats.t.ppf(0.975, 19) * per_run / np.sqrt(19)
    assert found.noise_floor_cpu == pytest.approx(expected, rel=0.05)


def test_shares_are_of_the_processors_time() -> None:
    simulated = SimulatedMachine(1, 4, foreign_share=0.09, steal_share=0.02)
    found = measure(simulated, [2, 3], 2, [])
    assert found.foreign_share == pytest.approx(0.09, abs=1e-6)
    assert found.steal_share == pytest.approx(0.02, abs=1e-6)
    assert found.processors == [2, 3]
    assert found.reference_ns == pytest.approx(REFERENCE_NS, rel=0.05)


def test_what_is_not_told_is_never_taken_for_nothing() -> None:
    with pytest.raises(InvalidResult, match="the CPU time of other processes is unknown"):
        calibrated(foreign_share=None)


def test_progress_counts_every_execution() -> None:
    seen: list[tuple[int, int]] = []
    measure(SimulatedMachine(1, 6), [0], 3, [], lambda done, of: seen.append((done, of)))
    assert seen == [(n, 6) for n in range(1, 7)]


def test_output_that_is_not_the_loops_is_refused() -> None:
    assert parse_reference("3 30 x\n1 10 x\n2 20 x\n") == (2, 20)
    for text in ("", "1 2 3\n" * (ITERATIONS - 1), "1 2\n" * ITERATIONS):
        with pytest.raises(InvalidResult):
            parse_reference(text)


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    return tmp_path


@pytest.fixture
def a_processor() -> int:
    return max(os.sched_getaffinity(0))


def test_a_real_calibration_is_made_kept_and_found_again(
    launcher: Launcher, private: Path, a_processor: int
) -> None:
    assert calibration.current([a_processor]) is None
    made = calibration.calibrate(launcher, [a_processor], pairs=2)
    assert made.noise_floor_wall > 0
    assert made.noise_floor_cpu > 0
    assert made.reference_ns > 10_000_000
    assert 0 <= made.foreign_share <= 1.1
    assert made.processors == [a_processor]
    assert len(made.gates) >= 9
    assert calibration.current([a_processor]) == made
    assert calibration.current([a_processor + 1]) is None
    assert [each.name for each in private.iterdir() if each.name.startswith("calibrating")] == []


@pytest.mark.usefixtures("private")
def test_a_machine_that_was_noisy_is_calibrated_again_after_ten_minutes(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = calibrated().model_copy(update={"pairs": 77})
    monkeypatch.setattr(calibration, "calibrate", lambda *_, **_named: again)
    steady = calibrated().model_copy(
        update={"reference_drift": 0.019, "noise_floor_wall": 0.05, "noise_floor_cpu": 0.01}
    )
    before_ns = steady.realtime_ns - 601 * 1_000_000_000
    keep(steady, realtime_ns=before_ns)
    assert calibration.ensure(launcher, [3]).pairs == steady.pairs
    for noisy in ({"noise_floor_wall": 0.051}, {"reference_drift": -0.021}):
        keep(steady, **noisy)
        assert calibration.ensure(launcher, [3]) == steady.model_copy(update=noisy)
        keep(steady, realtime_ns=before_ns, **noisy)
        assert calibration.ensure(launcher, [3]) == again
    assert calibration.ensure(launcher, [4]) == again


def keep(made: Calibration, **changes: object) -> None:
    changed = made.model_copy(update=changes)
    path = calibration.calibration_path(made.boot_id, [3])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(changed.model_dump_json())


@pytest.mark.usefixtures("private")
def test_only_todays_calibration_of_this_boot_is_current() -> None:
    made = calibrated()
    day_ns = 24 * 3600 * 1_000_000_000
    keep(made)
    assert calibration.current([3]) == made
    keep(made, realtime_ns=made.realtime_ns - day_ns - 1_000_000_000)
    assert calibration.current([3]) is None
    keep(made, realtime_ns=made.realtime_ns + 2 * day_ns)
    assert calibration.current([3]) is None
    keep(made, boot_id="another")
    assert calibration.current([3]) is None
    keep(made, processors=[2])
    assert calibration.current([3]) is None
    calibration.calibration_path(made.boot_id, [3]).write_text('{"schema_version": 0}')
    assert calibration.current([3]) is None


def test_a_failing_reference_says_so(launcher: Launcher, private: Path, a_processor: int) -> None:
    broken = LaunchedReference(Reference(launcher, Path("/bin/false"), private))
    with pytest.raises(InvalidResult, match=r"reference loop, .* failed"):
        broken([a_processor])
