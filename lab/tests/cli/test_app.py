"""How a command ends."""

from __future__ import annotations

import errno
import os

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


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_of_another_user_or_disk_is_one_line(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, error_of(number, "/theirs/.runfair/[cache]")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"runfair: /theirs/.runfair/[cache]: {os.strerror(number)}; allow")
    assert "RUNFAIR_PRIVATE" in line


def test_a_full_disk_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, error_of(errno.ENOSPC)) == 2
    assert capsys.readouterr().err == (
        "runfair: No space left on device; free some space on this disk\n"
    )


@pytest.mark.parametrize(
    "error", [error_of(errno.EPERM), error_of(errno.EIO, "/disk"), error_of(errno.ENOENT, "/file")]
)
def test_another_error_keeps_its_traceback(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError) as caught:
        ended(monkeypatch, error)
    assert caught.value is error
