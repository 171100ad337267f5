"""How a command ends."""

from __future__ import annotations

import errno
import os
import tempfile

import pytest

from runfair.cli import app as module
from runfair.cli.app import main


def ended(monkeypatch: pytest.MonkeyPatch, error: Exception) -> int | str | None:
    def failing(**_: object) -> None:
        raise error

    monkeypatch.setattr(module, "app", failing)
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def error_of(number: int, path: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), *([] if path is None else [path]))


ALLOW = "allow yourself access to this path"
OR_NAME = ", or name another folder in the environment variable "


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("/theirs/.runfair/[cache]", ALLOW + OR_NAME + "RUNFAIR_PRIVATE"),
        ("/theirs", ALLOW + OR_NAME + "RUNFAIR_PRIVATE"),  # .runfair cannot be made in it
        ("/results/run", ALLOW + OR_NAME + "RUNFAIR_RESULTS"),
        ("/opt/program", ALLOW),
        ("program", ALLOW),
    ],
)
def test_a_folder_of_another_user_or_disk_is_one_line(
    number: int,
    path: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", "/theirs/.runfair")
    monkeypatch.setenv("RUNFAIR_RESULTS", "/results")
    assert ended(monkeypatch, error_of(number, path)) == 2
    assert capsys.readouterr().err == f"runfair: {path}: {os.strerror(number)}; {remedy}\n"


def test_a_full_disk_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, error_of(errno.ENOSPC)) == 2
    assert capsys.readouterr().err == (
        "runfair: No space left on device; free some space on this disk\n"
    )


def test_a_machine_without_a_temporary_folder_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/no/such/folder"])
    with pytest.raises(FileNotFoundError) as caught:
        tempfile.gettempdir()
    assert ended(monkeypatch, caught.value) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("runfair: No usable temporary directory found in ['/no/such/folder']; ")
    assert line.endswith("TMPDIR")


@pytest.mark.parametrize(
    "error", [error_of(errno.EPERM), error_of(errno.EIO, "/disk"), error_of(errno.ENOENT, "/file")]
)
def test_another_error_keeps_its_traceback(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError) as caught:
        ended(monkeypatch, error)
    assert caught.value is error
