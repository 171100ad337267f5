"""The client of each registry: it fetches the files of an offer, and states their size."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from runfair.building.command import run_command
from runfair.formats.variant import version_key
from runfair.installing.offer import FetchFailed, Offer
from runfair.paths import PLATFORMS

DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
PROJECT = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>runfair</groupId>
  <artifactId>offer</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""
STARTER = """#!/bin/sh
exec java $JAVA_OPTS -cp "$(dirname -- "$(readlink -f -- "$0")")/../lib/*" {main} "$@"
"""
FETCH_LIMIT_S = 1800.0
SIZE_LIMIT_S = 15.0

# An error line of Go, pip or npm. Lines of progress and the lines with which npm describes an error
# before it states the error do not match.
_STATED_ERROR = re.compile(
    r"(?:go: (?!downloading)|ERROR: |npm (?:error|ERR!) (?!(?:code|syscall|errno|type) ))"
    r"(?P<error>.+)"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def fetch(offer: Offer, into: Path) -> None:
    """Puts the offer's files into the folder. Raises FetchFailed.

    The folder of a platform is the private folder.
    """
    clients = {
        "npm": _npm,
        "pip": _pip,
        "go": _go,
        "maven": _maven,
        "maven-archive": _maven_archive,
        "platform": _platform,
    }
    clients[offer.how](offer, into)


def download_bytes(offer: Offer) -> int | None:
    """The size of the download, as the registry states it; None if it does not.

    npm and pip name the archive, and the archive's server states its length. The other registries'
    clients do not report the size.
    """
    try:
        if offer.how == "npm":
            return _length(_npm_archive(offer))
        if offer.how == "pip":
            return _length(_pip_archive(offer))
    except (FetchFailed, urllib.error.URLError, OSError, ValueError, KeyError, IndexError):
        # The size is only information. If there is a problem here, it will occur again in the
        # installation itself.
        return None
    return None


def _npm(offer: Offer, into: Path) -> None:
    npm = _client("npm", "apt-get install npm")
    (into / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _run(
        [
            npm,
            "install",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--ignore-scripts",
            _wanted(offer),
        ],
        into,
    )


def _npm_archive(offer: Offer) -> str:
    npm = _client("npm", "apt-get install npm")
    asked = [npm, "view", _wanted(offer), "version", "dist.tarball", "--json"]
    told = json.loads(_run(asked, Path("/")))
    # A single version is printed as an object, several versions as a list that is not ordered by
    # age.
    newest = max(
        told if isinstance(told, list) else [told], key=lambda v: version_key(v["version"])
    )
    return str(newest["dist.tarball"])


def _wanted(offer: Offer) -> str:
    return f"{offer.package}@{offer.version or 'latest'}"


# A user's own settings of where packages are installed contradict `--target`. pip ignores an empty
# variable, so it cannot replace the prefix in a file pip.conf.
PIP = {"PIP_USER": "0"}


def _pip(offer: Offer, into: Path) -> None:
    _run([*_pip_install(offer), "--prefix=", "--target", str(into), "--quiet"], into, PIP)


def _pip_install(offer: Offer) -> list[str]:
    wanted = f"{offer.package}=={offer.version}.*"
    return [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary", ":all:", wanted]


def _pip_archive(offer: Offer) -> str:
    command = [*_pip_install(offer), "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    report = json.loads(_run(command, Path("/"), PIP))
    return str(report["install"][0]["download_info"]["url"])


def _go(offer: Offer, into: Path) -> None:
    """Go's own toolchain switch downloads and verifies the release. The unpacked files are then
    moved to the folder.
    """
    go = _client("go", "apt-get install golang-go")
    cache = into / ".mod"
    _run(
        [go, "version"],
        into,
        {
            "GOTOOLCHAIN": f"go{offer.version}",
            "GOMODCACHE": str(cache),
            "GOPATH": str(into / ".gopath"),
            # Flags of a newer Go would make an older Go fail.
            "GOFLAGS": "",
            "GOENV": "off",
        },
    )
    unpacked = list(cache.glob(f"golang.org/toolchain@*go{offer.version}.*"))
    if not unpacked:
        raise FetchFailed(
            f"the command {go} did not download Go {offer.version}; only Go 1.21 or newer can "
            "download other versions, so install a newer Go from https://go.dev/dl first"
        )
    _make_writable(unpacked[0])
    for entry in unpacked[0].iterdir():
        shutil.move(entry, into / entry.name)
    for left in (cache, into / ".gopath"):
        remove(left)


def _maven(offer: Offer, into: Path) -> None:
    """Puts the package and its dependencies into `lib`, compares their checksums, and writes a
    script that starts it on the JDK of PATH.
    """
    group, _, artifact = offer.package.partition(":")
    project = into / "pom.xml"
    project.write_text(
        PROJECT.format(group=group, artifact=artifact, version=offer.version), encoding="utf-8"
    )
    _dependency_plugin(
        "copy-dependencies",
        ["--file", str(project), "-DincludeScope=runtime", "-Dmdep.stripVersion=true"],
        into,
        into / "lib",
    )
    program = into / offer.program
    program.parent.mkdir()
    program.write_text(STARTER.format(main=offer.main), encoding="utf-8")


def _maven_archive(offer: Offer, into: Path) -> None:
    """Unpacks the archive, and moves the runtime's files to the folder. Archives for the JVM do not
    record which files are programs.
    """
    unpacked = into / ".archive"
    _dependency_plugin("unpack", [f"-Dartifact={offer.package}"], into, unpacked)
    root = unpacked / offer.root
    if not root.is_dir():
        raise FetchFailed(f"{offer.package} does not contain {offer.root}")
    for entry in root.iterdir():
        shutil.move(entry, into / entry.name)
    remove(unpacked)
    for program in (into / offer.program).parent.iterdir():
        program.chmod(program.stat().st_mode | 0o111)


def _dependency_plugin(goal: str, options: Sequence[str], directory: Path, output: Path) -> None:
    """Runs a goal of Maven's dependency plug-in with a repository of its own, and compares the
    checksums of what it downloads.
    """
    maven = _client("mvn", "apt-get install maven")
    repository = directory / ".repository"
    quietly = ["--batch-mode", "--quiet", "--strict-checksums", f"-Dmaven.repo.local={repository}"]
    asked = [f"{DEPENDENCY_PLUGIN}:{goal}", f"-DoutputDirectory={output}"]
    _run([maven, *quietly, *options, *asked], directory)
    remove(repository)


def _platform(offer: Offer, into: Path) -> None:
    """The platform's command fetches what it needs and builds in `into`, a private folder."""
    command = PLATFORMS / offer.package / offer.package
    _run([str(command), *offer.check], into, {"RUNFAIR_PRIVATE": str(into)})


def remove(folder: Path) -> None:
    """Removes a folder, even if its files are read-only."""
    if folder.is_dir():
        _make_writable(folder)
        shutil.rmtree(folder)


def _make_writable(folder: Path) -> None:
    """Makes a folder writable, so that its folders can be moved and removed: Go makes them
    read-only.
    """
    for inside, _, _ in os.walk(folder):
        path = Path(inside)
        path.chmod(path.stat().st_mode | 0o700)


def _length(address: str) -> int | None:
    if not address.startswith("https://"):
        return None
    question = urllib.request.Request(address, method="HEAD")
    with urllib.request.urlopen(question, timeout=SIZE_LIMIT_S) as answer:
        length = answer.headers.get("Content-Length")
    return int(length) if length else None


def _client(name: str, install: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise FetchFailed(
            f"to install this runtime, runfair needs the command {name}, which is missing; "
            f"install it with: {install}"
        )
    return path


def _run(command: Sequence[str], directory: Path, extra: Mapping[str, str] | None = None) -> str:
    try:
        outcome = run_command(
            command,
            directory=directory,
            environment={**os.environ, **(extra or {})},
            limit_s=FETCH_LIMIT_S,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except subprocess.TimeoutExpired:
        raise FetchFailed(f"{command[0]} did not finish within {FETCH_LIMIT_S:.0f} s") from None
    if outcome.returncode != 0:
        said = _error_line(outcome.stderr, outcome.stdout) or f"status {outcome.returncode}"
        name = "pip" if "pip" in command else Path(command[0]).name
        raise FetchFailed(f"{name} failed: {said.removeprefix(f'{name}: ')}")
    return outcome.stdout


def _error_line(errors: str, output: str) -> str:
    """The line of a client's output that states the error: the first line that looks like the error
    of a known client, otherwise the last error line, otherwise the first line of standard output,
    on which Maven prints its errors.
    """
    errors, output = (_COLOUR.sub("", text) for text in (errors, output))
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    stated = (found["error"] for found in map(_STATED_ERROR.fullmatch, lines) if found)
    words = [*stated, *lines[::-1], *(line.strip() for line in output.splitlines())]
    return next((line for line in words if line), "")
