"""A service of the user's own becomes a cell; what is wrong with it is one line."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from experiment.service_plans import (
    asked,
    database_of,
    own,
    plan_of,
)
from runfair.errors import UserMistake
from runfair.experiment.engine import require_artefact

pytestmark = pytest.mark.usefixtures("service_machine")


def test_instances_run_on_each_host(tmp_path: Path) -> None:
    two = 'command = ["true", "{port}"]\ninstances = 2\n'
    (mine,) = plan_of(tmp_path, own(tmp_path, two), service_hosts=3).cells
    assert mine.service is not None
    assert (mine.factors.hosts, mine.service.instances) == (3, 6)
    with pytest.raises(UserMistake, match="each of 3 instances needs its own port"):
        plan_of(tmp_path, own(tmp_path, 'command = ["true"]\nport = 8080\n'), service_hosts=3)


@pytest.mark.parametrize("url", ["redis://here:7000/1", "tcp://here:9042"])
def test_ones_own_services_may_use_other_databases(tmp_path: Path, url: str) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n', f'database = "{url}"\n')
    (cell,) = plan_of(tmp_path, text).cells
    theirs = database_of(cell)
    assert theirs is not None
    assert (theirs.url, theirs.round_trip_ns) == (url, 1_000_000)


def test_a_service_of_ones_own_may_have_others_and_is_compared(tmp_path: Path) -> None:
    two = 'command = ["true", "{port}"]\ninstances = 2\n[services.other]\ncommand = ["true"]\n'
    text = own(tmp_path, two).replace('["mine"]', '["mine", "other"]')
    mine, other = plan_of(tmp_path, text).cells
    assert mine.service is not None
    assert other.service is not None
    assert (mine.service.instances, other.service.instances) == (2, 1)
    assert mine.group == other.group


def test_several_that_run_already(tmp_path: Path) -> None:
    service = 'urls = ["http://127.0.0.1:9", "http://127.0.0.1:10"]\n'
    for rest in ("", "instances = [2]\n"):
        (cell,) = plan_of(tmp_path, own(tmp_path, service, rest)).cells
        assert cell.service is not None
        assert (cell.service.kind, cell.service.instances) == ("url", 2)
        assert cell.service.urls == ["http://127.0.0.1:9", "http://127.0.0.1:10"]
        assert cell.service.url == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("service", "rest", "said"),
    [
        ('command = ["true"]\ninstances = 2\n', "", "each of 2 instances needs its own port"),
        (
            'command = ["true", "{port}"]\nport = 80\n',
            "instances = [2]\n",
            "each of 2 instances needs its own port",
        ),
        (
            'urls = ["http://h:1", "http://h:2"]\n',
            "instances = [3]\n",
            "this table states 2 for the number of instances, but the [[serve]] table",
        ),
        (
            'command = ["true", "{port}"]\n',
            "instances = [4]\nconnections = 3\n",
            "4 instances cannot share 3 connections",
        ),
    ],
)
def test_instances_that_cannot_be_had_are_one_line(
    service: str, rest: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, own(tmp_path, service, rest))
    assert str(mistake.value).startswith(f"[services.mine]: {said}")
    assert "\n" not in str(mistake.value)


def test_files_of_requests_of_one_name_are_two(tmp_path: Path) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:1"\n')
    other = tmp_path / "other" / "shop.jsonl"
    other.parent.mkdir()
    other.write_text('{"path": "/"}\n')
    second = f'[[serve]]\nservices = ["mine"]\nrate = 50\ntraffic = "{other}"\n'
    cells = plan_of(tmp_path, f"{text}{second}").cells
    assert {asked(cell).traffic for cell in cells} == {str(other), str(tmp_path / "shop.jsonl")}


FED = '{"path": "/${feed:name}"}\n'


def fed(folder: Path, rows: str | None, rest: str = "", line: str = FED) -> str:
    """An experiment whose requests take their values from a file of rows."""
    feed = folder / "users.csv"
    if rows is not None:
        feed.write_text(rows)
    text = own(folder, 'url = "http://127.0.0.1:9"\n', f'feed = "{feed}"\n{rest}')
    (folder / "shop.jsonl").write_text(line)
    return text


def test_the_rows_of_a_feed_are_counted_for_the_longest_load(tmp_path: Path) -> None:
    """50 a second for 20 s: as many rows, or for random arrivals six deviations of 32 more."""
    for arrivals, enough in (("constant", 1000), ("poisson", 1190)):
        rest = f'feed_order = "file"\narrivals = "{arrivals}"\n'
        rows = ["name\n", *(f"{number}\n" for number in range(enough))]
        (cell,) = plan_of(tmp_path, fed(tmp_path, "".join(rows), rest)).cells
        point, feed = asked(cell), tmp_path / "users.csv"
        assert (point.feed, point.feed_order) == (str(feed), "file")
        assert point.feed_sha256 == hashlib.sha256(feed.read_bytes()).hexdigest()
        text = fed(tmp_path, "".join(rows[:-1]), rest)
        with pytest.raises(
            UserMistake, match=f"has {enough - 1} rows, which are too few for a load of up to"
        ):
            plan_of(tmp_path, text)


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        (None, FED, "users.csv: the feed cannot be read: No such file or directory"),
        ("id\n1\n", FED, "users.csv has no such column; its columns are id"),
        (
            "name\na\n",
            '{"path": "/"}\n',
            "write ${feed:NAME} in a request, or leave `feed` out",
        ),
    ],
)
def test_a_feed_that_cannot_give_its_values_is_one_line(
    rows: str | None, line: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, fed(tmp_path, rows, line=line))
    assert said in str(mistake.value)
    assert "\n" not in str(mistake.value)


def test_values_without_a_feed_are_one_line(tmp_path: Path) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n')
    (tmp_path / "shop.jsonl").write_text(FED)
    with pytest.raises(UserMistake, match="name the file in `feed`"):
        plan_of(tmp_path, text)


def test_a_command_of_ones_own(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    service = (
        f'command = ["./server", "--port", "{{port}}"]\ndirectory = "{tmp_path}"\n'
        'ready = "/health"\nready_within = "5 s"\nstop = "SIGINT"\nlanguage = "go"\n'
        'environment = { MODE = "production" }\n'
    )
    plan = plan_of(tmp_path, own(tmp_path, service))
    (cell,) = plan.cells
    assert (cell.benchmark, cell.workload, cell.size) == ("shop", "traffic", "as-given")
    assert (cell.tier, cell.variant, cell.language) == ("own", "mine", "go")
    assert cell.artefact.command == [str(program), "--port", "{port}"]
    assert cell.artefact.sha256 == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    assert cell.artefact.environment == {"MODE": "production"}
    assert cell.service is not None
    assert (cell.service.kind, cell.service.stop_signal) == ("command", "SIGINT")
    assert cell.service.ready.path == "/health"
    assert cell.service.ready.timeout_ns == 5 * 10**9
    assert [one.name for one in plan.variants] == ["mine"]
    require_artefact(cell)
    program.write_text("#!/bin/sh\nexit\n")
    with pytest.raises(UserMistake, match="has changed since the run was planned"):
        require_artefact(cell)


def test_one_that_runs_already(tmp_path: Path) -> None:
    (cell,) = plan_of(tmp_path, own(tmp_path, 'url = "http://127.0.0.1:9"\n')).cells
    assert cell.service is not None
    assert (cell.service.kind, cell.service.url) == ("url", "http://127.0.0.1:9")
    assert cell.artefact.command == []


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (
            'command = ["no-such-program"]\n',
            "the program 'no-such-program' in `command` was not found; correct the name",
        ),
        (
            'command = ["./server"]\n',
            "the program './server' in `command` was not found; correct the name",
        ),
        (
            'command = ["true"]\ndirectory = "/no/such"\n',
            "`directory` is /no/such, which is not a folder; name an existing folder",
        ),
    ],
)
def test_a_command_that_cannot_be_started_is_told_now(
    service: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, own(tmp_path, service))
    assert str(mistake.value).startswith(f"[services.mine]: {said}")


@pytest.mark.parametrize(
    "line",
    ['{"path": "/"', '{"pth": "/"}', '["/"]', '{"path": "/", "headers": 5}', '{"path": "/é"}'],
)
def test_a_line_that_is_no_request_is_told_before_anything_is_measured(
    line: str, tmp_path: Path
) -> None:
    """The last one is none in an encoding that is not UTF-8."""
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n')
    with (tmp_path / "shop.jsonl").open("a", encoding="latin-1") as traffic:
        traffic.write(f'{{"path": "/${{id}}"}}\n{line}\n')
    with pytest.raises(
        UserMistake, match=r"shop\.jsonl:3: this line is not a valid request"
    ) as caught:
        plan_of(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ["--db={database}", "{database_port}"])
def test_one_that_asks_for_a_database_is_given_one_or_told(word: str, tmp_path: Path) -> None:
    service = f'command = ["true", "{word}"]\n'
    with pytest.raises(
        UserMistake, match=r"uses \{database\}, but its .* names no database; write"
    ):
        plan_of(tmp_path, own(tmp_path, service))
    assert plan_of(tmp_path, own(tmp_path, service, 'database = "tcp://here:1"\n')).cells


def test_ones_own_service_that_is_not_described(tmp_path: Path) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n').replace('["mine"]', '["mime"]')
    with pytest.raises(UserMistake, match="no service is named 'mime'; choose from mine"):
        plan_of(tmp_path, text)


def test_a_database_s_password_is_on_no_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = 'database = "postgresql://me@db/shop"\n'
    shown = own(tmp_path, 'command = ["true", "--database={database}"]\n', rest)
    (cell,) = plan_of(tmp_path, shown).cells  # nothing to hide
    assert cell.artefact.command[1:] == ["--database={database}"]
    monkeypatch.setenv("PGPASSWORD", "hidden")
    with pytest.raises(UserMistake, match="would show the database's password") as mistake:
        plan_of(tmp_path, shown)
    assert "hidden" not in str(mistake.value)
    by_environment = 'command = ["true"]\nenvironment = { DB = "{database}" }\n'
    assert plan_of(tmp_path, own(tmp_path, by_environment, rest)).cells


@pytest.mark.parametrize(
    ("command", "noticed"),
    [
        (["sh", "server.sh", "data.db"], {"server.sh"}),
        (["sh", "-c", f"#{'x' * 300}", "{port}", "server.sh"], {"server.sh"}),
        (["./program", "data.db"], set()),
    ],
)
def test_the_script_that_an_interpreter_runs_is_a_part_of_the_program(
    command: list[str], noticed: set[str], tmp_path: Path
) -> None:
    """The service itself may write the other files."""
    folder = tmp_path / "service"
    folder.mkdir()
    for name in ("server.sh", "data.db", "program"):
        (folder / name).write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    text = f"command = {command}\ndirectory = '{folder}'\n"
    (cell,) = plan_of(tmp_path, own(tmp_path, text)).cells
    require_artefact(cell)
    for name in ("server.sh", "data.db"):
        before = (folder / name).read_text()
        (folder / name).write_text("exit 1\n")
        if name in noticed:
            with pytest.raises(UserMistake, match="has changed since the run was planned"):
                require_artefact(cell)
        else:
            require_artefact(cell)
        (folder / name).write_text(before)
