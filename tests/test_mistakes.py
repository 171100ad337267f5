"""The user's mistakes: one line that says what to do, exit 2."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from laboratory import Lab, small
from runfair.cli.app import VERBS
from runfair.paths import REPOSITORY


def test_names_that_are_not_known(lab: Lab) -> None:
    assert "no experiment is named 'defualt'; choose from default" in lab.refuses("run", "defualt")
    assert "no profile is named 'quik'; choose from" in lab.refuses("run", "--profile", "quik")
    assert "no benchmark is named 'srot'; choose from sort" in lab.refuses("run", "--only", "srot")
    assert "gcc-99" in lab.refuses("run", "--runtimes", "gcc-99")
    assert "no benchmark is named 'srot'" in lab.refuses("verify", "srot")
    assert "no size of sort is named 'huge'" in lab.refuses("verify", "sort", "--size", "huge")
    own = ("--param", "letters=3")
    assert "verifies only services" in lab.refuses("verify", "techempower", *own)
    assert "whose work is fixed" in lab.refuses("verify", "sort", "--mutants", "quick", *own)
    for ignored in (("--size", "small"), ("--threads", "2"), ("--tiers", "plain"), ("--record",)):
        said = lab.refuses("verify", "sort", "--mutants", "quick", *ignored)
        assert f"leave {ignored[0]} out" in said
    assert "no workload of sort is named 'near'" in lab.refuses(
        "verify", "sort", "--workloads", "near"
    )
    assert "there is no run with this name" in lab.refuses("resume", "nothing")
    assert "there is no run in this folder" in lab.refuses("report")
    assert ("there is no such file; `./runfair list experiments`") in lab.refuses(
        "run", "nothing.toml"
    )
    assert not lab.results.exists()


def test_an_experiment_that_cannot_be_read(lab: Lab) -> None:
    malformed = lab.refuses("run", lab.experiment("[[measure]]\nbenchmarks = [\n"))
    assert "small.toml:2: the line is malformed TOML" in malformed
    unknown_key = lab.refuses("run", lab.experiment(small().replace("modes", "mode")))
    assert "small.toml:8: measure.0.mode: " in unknown_key
    size = lab.refuses("run", lab.experiment(small() + 'size = "huge"\n'), "--profile", "smoke")
    assert "no size of sort is named 'huge'" in size


def test_results_of_an_older_schema(lab: Lab) -> None:
    folder = lab.results / "2020-01-01T00-00-00Z-old"
    folder.mkdir(parents=True)
    (folder / "experiment.json").write_text(json.dumps({"schema_version": 0}))
    for verb in ("report", "resume"):
        assert "schema 0, but this version of runfair reads schema 1" in lab.refuses(
            verb, str(folder)
        )


def test_a_results_folder_that_cannot_be_made(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file, not a folder")
    done = lab("report")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_names_every_verb(lab: Lab) -> None:
    shown = lab("--help").stdout
    for verb in VERBS:
        assert f" {verb} " in shown


def test_a_reader_that_leaves_is_no_error(lab: Lab) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [REPOSITORY / "runfair", "list", "runtimes"],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **lab.environment},
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_file_of_the_users_is_not_taken_for_a_part_of_the_lab(lab: Lab, tmp_path: Path) -> None:
    for name in ("statistics", "typing", "runfair"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    process = lab.start("--version", cwd=tmp_path)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.startswith("runfair ")


def test_every_locale_can_print_every_letter(lab: Lab) -> None:
    lab.environment |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert "größer→kleiner.toml: there is no such file" in lab.refuses("run", "größer→kleiner.toml")
