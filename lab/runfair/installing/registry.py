"""Installs runtimes from public registries into the private folder, completely or not at all, and
builds platforms of this repository there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from runfair.building.build_folder import locked
from runfair.installing.offer import FetchFailed, Offer, offer_of, offers
from runfair.installing.registry_client import download_bytes, fetch, remove
from runfair.paths import private_folder

STAGING_PREFIX = ".installing-"
VERIFY_LIMIT_S = 30.0


class _UnderWay(Exception):
    """Another process is installing, and this caller does not want to wait."""


def install(name: str, on_progress: Callable[[str], None] = lambda _: None) -> Path:
    """Installs a runtime and returns its folder. If the runtime is already installed, the folder is
    returned immediately.

    `on_progress` gets one line for each stage; the first states the size. If another installation
    is in progress, this one waits for it. Raises UserMistake if the name is unknown, and
    FetchFailed if the registry does not supply the runtime or if the supplied runtime does not run.
    """
    offer = offer_of(name)
    if offer.how == "platform":
        return _built(offer, on_progress)
    folder = runtimes_folder() / offer.name
    with _installation_lock(lambda: on_progress("waiting until another installation ends")):
        _tidy()
        if folder.is_dir():
            on_progress(f"{offer.name} is already installed")
            return folder
        on_progress(f"{offer.name} from {offer.how}: {size_line(offer)}")
        staging = folder.with_name(f"{STAGING_PREFIX}{offer.name}")
        staging.mkdir(parents=True)
        try:
            _fetched(offer, staging)
            on_progress("checking that the runtime starts")
            said = _verified(offer, staging)
            staging.rename(folder)
        finally:
            remove(staging)
    on_progress(f"{offer.name} is ready: {said}")
    return folder


def _fetched(offer: Offer, into: Path) -> None:
    try:
        fetch(offer, into)
    except FetchFailed as failure:
        family, _, _ = offer.name.partition("-")
        listed = [one.name for one in offers() if one.name.partition("-")[0] == family]
        known = f"; versions that exist: {', '.join(listed)}" if offer.name not in listed else ""
        raise FetchFailed(f"{offer.name} was not installed: {failure}{known}") from None


def _built(offer: Offer, on_progress: Callable[[str], None]) -> Path:
    """Builds a platform of this repository, or builds it again if its sources changed."""
    on_progress(f"{offer.name} is built here: {size_line(offer)}")
    private_folder().mkdir(parents=True, exist_ok=True)
    fetch(offer, private_folder())
    said = _verified(offer, private_folder())
    program = private_folder() / offer.program
    on_progress(f"{offer.name} is ready: {said}; start it with {program}")
    return program.parent


def size_line(offer: Offer) -> str:
    """The line that states the size on disk and, if the registry states it, the size of the
    download."""
    download = download_bytes(offer)
    disk = f"about {offer.size_bytes / 1e6:.0f} MB on disk"
    return f"{download / 1e6:.0f} MB to download, {disk}" if download else disk


def tidy() -> list[str]:
    """Removes the remains of interrupted installations, unless an installation is in progress or
    the folder cannot be written. Returns the names of the removed folders.
    """
    if not runtimes_folder().is_dir():
        return []
    try:
        with _installation_lock(_do_not_wait):
            return _tidy()
    except (_UnderWay, OSError):
        return []


def runtimes_folder() -> Path:
    """The folder in which discovery looks for installed runtimes."""
    return private_folder() / "runtimes"


def _tidy() -> list[str]:
    left = sorted(runtimes_folder().glob(f"{STAGING_PREFIX}*"))
    for folder in left:
        remove(folder)
    return [folder.name.removeprefix(STAGING_PREFIX) for folder in left]


def _do_not_wait() -> None:
    raise _UnderWay


def _installation_lock(on_wait: Callable[[], None]) -> AbstractContextManager[None]:
    return locked(runtimes_folder() / ".lock", on_wait)


def _verified(offer: Offer, folder: Path) -> str:
    program = folder / offer.program
    if not program.is_file():
        raise FetchFailed(
            f"the package {offer.package} {offer.version} does not contain the program "
            f"{offer.program}"
        )
    program.chmod(program.stat().st_mode | 0o111)
    try:
        outcome = subprocess.run(
            [str(program), *offer.check],
            env={**os.environ, **offer.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=VERIFY_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchFailed(
            f"{offer.name} was installed, but it cannot be started: {error}"
        ) from None
    lines = outcome.stdout.splitlines()
    if outcome.returncode != 0:
        said = "".join(f": {line}" for line in lines[-1:])
        status = f"status {outcome.returncode}"
        raise FetchFailed(f"{offer.name} was installed, but its program fails with {status}{said}")
    return lines[0] if lines else "the program prints no version"
