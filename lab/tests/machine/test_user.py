"""What an unprivileged user can reach."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runfair.formats.place import User
from runfair.machine.user import can_become, unprivileged_user, unreachable

NOBODY = User(uid=65534, gid=65534)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="runfair-user-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_a_file_is_reached_through_folders_that_may_be_passed(open_folder: Path) -> None:
    (open_folder / "below").mkdir(mode=0o711)
    (open_folder / "below").chmod(0o711)
    file = open_folder / "below" / "program"
    file.write_text("")
    file.chmod(0o644)
    assert unreachable(NOBODY, [file, open_folder / "below" / "not there yet"]) is None


def test_the_first_thing_in_the_way_is_named(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir()
    closed.chmod(0o700)
    (closed / "below").mkdir()
    assert unreachable(NOBODY, [open_folder, closed / "below"]) == closed
    secret = open_folder / "secret"
    secret.write_text("")
    secret.chmod(0o600)
    assert unreachable(NOBODY, [secret]) == secret
    link = open_folder / "link"
    link.symlink_to(closed / "below")
    assert unreachable(NOBODY, [link]) == closed, "a link leads where its target is"


def test_the_owner_s_bits_are_not_those_of_others(open_folder: Path) -> None:
    odd = open_folder / "odd"
    odd.write_text("")
    odd.chmod(0o604)
    owner = User(uid=os.geteuid(), gid=1)
    assert unreachable(owner, [odd]) is None
    odd.chmod(0o004)
    assert unreachable(owner, [odd]) == odd, "the owner's bits alone count for the owner"
    odd.chmod(0o704)
    assert unreachable(User(uid=12345, gid=odd.stat().st_gid), [odd]) == odd


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_becomes_nobody_and_hands_over(open_folder: Path) -> None:
    user = unprivileged_user()
    assert user is not None
    assert user.uid != 0
    assert can_become(user)
    user.own(open_folder)
    assert (open_folder.stat().st_uid, open_folder.stat().st_gid) == (user.uid, user.gid)


@pytest.mark.skipif(os.geteuid() == 0, reason="needs another user than root")
def test_others_stay_who_they_are() -> None:
    assert unprivileged_user() is None
    assert not can_become(NOBODY)
