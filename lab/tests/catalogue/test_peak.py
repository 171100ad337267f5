"""`[[peak]]` in an experiment's file, and the scores of a suite: what is wrong is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogue.test_service import shop
from runfair.catalogue.experiment import read_experiment
from runfair.catalogue.service import SCORES, service_benchmarks
from runfair.errors import UserMistake

PEAK = """[[peak]]
benchmark = "techempower"
workload = "json"
services = ["axum"]
connections = [16, 64]
"""


def experiment(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_a_peak_is_read(tmp_path: Path) -> None:
    (peak,) = read_experiment(str(experiment(tmp_path, f"{PEAK}pipeline = 16\n"))).peak
    assert (peak.connections, peak.pipeline, peak.threads) == ([16, 64], 16, [1])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('objective = "p99 < 25 ms"', "objective: a [[peak]] measures a closed loop"),
        ('require = ["p99 < 25 ms"]', "require: a [[peak]] measures a closed loop"),
        ("rate = 500", "rate: a [[peak]] measures a closed loop"),
        ("curve = [500]", "curve: a [[peak]] measures a closed loop"),
        ('round_trip = "1 ms"', "a [[peak]] has no relay; write `round_trip` in a [[serve]]"),
        ("percentile = 99", "percentile: there is no such key"),
    ],
)
def test_a_percentile_of_a_peak_is_refused(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UserMistake) as refused:
        read_experiment(str(experiment(tmp_path, f"{PEAK}{line}\n")))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PEAK.replace("[16, 64]", "[]"), "connections"),
        (PEAK.replace("[16, 64]", "[0]"), "connections.0: Input should be greater than"),
        (PEAK.replace("[16, 64]", "[16, 16]"), "state each number of connections only once"),
        (PEAK.replace("connections = [16, 64]\n", ""), "connections: Field required"),
        (f"{PEAK}pipeline = 0\n", "pipeline: Input should be greater than"),
        ("about = 'nothing'\n", "the experiment names nothing to measure"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserMistake) as refused:
        read_experiment(str(experiment(tmp_path, text)))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


SCORE = """schema_version = 1
[[score]]
name = "mine"
version = 1
about = "mine"
verified = true
of = "share"
[score.weights]
browse = 1.5
"""


def test_the_weights_of_the_web_suite_are_marked() -> None:
    original, unweighted = service_benchmarks()["techempower"].scores()
    assert (original.of, original.verified) == ("rate", False)
    assert original.weights == {
        "plaintext": 0.163,
        "json": 1.0,
        "single-query": 1.737,
        "multiple-queries-20": 21.745,
        "updates-20": 68.363,
        "fortunes": 4.077,
    }
    assert (unweighted.of, set(unweighted.weights.values())) == ("share", {1.0})
    assert set(unweighted.weights) == set(original.weights)


def test_a_suite_need_not_have_scores(tmp_path: Path) -> None:
    shop(tmp_path)
    assert service_benchmarks(tmp_path)["shop"].scores() == []


def test_scores_are_read_from_the_file_beside_the_service(tmp_path: Path) -> None:
    (shop(tmp_path) / SCORES).write_text(SCORE)
    (found,) = service_benchmarks(tmp_path)["shop"].scores()
    assert (found.name, found.weights) == ("mine", {"browse": 1.5})


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("browse = 1.5", "brwose = 1.5", 9, "shop has no such workload: correct the name"),
        ("browse = 1.5", "browse = 0", 9, "Input should be greater than 0"),
        ("browse = 1.5", "browse = -1", 9, "Input should be greater than 0"),
        ("browse = 1.5", "browse = inf", 9, "Input should be less than"),
        ("browse = 1.5", "browse = nan", 9, "Input should be"),
        ("browse = 1.5", 'browse = "much"', 9, "Input should be a valid number"),
        ("browse = 1.5\n", "", 8, "weights: Dictionary should have at least 1 item"),
        ("version = 1\nabout", "about", 2, "version: Field required"),
        ('of = "share"', 'of = "median"', 7, "of: Input should be 'rate' or 'share'"),
        ("schema_version = 1", "schema_version = 2", 1, "schema_version: Input should be 1"),
        ("browse = 1.5", "browse = ", 9, "malformed TOML"),
    ],
)
def test_wrong_weights_are_one_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    path = shop(tmp_path) / SCORES
    assert old in SCORE
    path.write_text(SCORE.replace(old, new, 1))
    with pytest.raises(UserMistake) as refused:
        service_benchmarks(tmp_path)["shop"].scores()
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_two_scores_of_one_name_are_refused(tmp_path: Path) -> None:
    _, _, again = SCORE.partition("\n")
    (shop(tmp_path) / SCORES).write_text(SCORE + again)
    with pytest.raises(UserMistake, match="two scores have the name 'mine'"):
        service_benchmarks(tmp_path)["shop"].scores()
