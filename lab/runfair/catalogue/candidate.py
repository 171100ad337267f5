"""Candidates: programs that may be runtimes. Candidates are found by search patterns and identified
by a command.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import os
import pwd
import re
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.catalogue.family import Check, Identify
from runfair.paths import private_folder

# The shim of a version manager is not a runtime: it only asks the manager which program to start.
SHIM_FOLDER = "shims"


@dataclass(frozen=True)
class Candidate:
    """A program that may be a runtime, with the state of its file at the time of the search."""

    path: str
    real: str
    size_bytes: int
    modified_ns: int

    @classmethod
    def at(cls, path: str) -> Candidate | None:
        """The program at `path`, or None if there is no executable file."""
        real = os.path.realpath(path)
        try:
            status = Path(real).stat()
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or not os.access(real, os.X_OK):
            return None
        return cls(path, real, status.st_size, status.st_mtime_ns)


class PathFolders:
    """The folders of PATH and the names in them. The folders are read once."""

    def __init__(self) -> None:
        self.folders = list(dict.fromkeys(f for f in _path() if f.startswith("/")))
        self._names: dict[str, list[str]] = {}

    def matching(self, name: str) -> Iterator[str]:
        """The programs on PATH whose names match the glob, in the order of PATH."""
        for folder in self.folders:
            if Path(folder).name == SHIM_FOLDER:
                continue
            if not glob.has_magic(name):
                yield f"{folder}/{name}"
            else:
                matches = fnmatch.filter(self._listing(folder), name)
                yield from (f"{folder}/{match}" for match in sorted(matches))

    def _listing(self, folder: str) -> list[str]:
        if folder not in self._names:
            try:
                self._names[folder] = [entry.name for entry in os.scandir(folder)]
            except OSError:
                self._names[folder] = []
        return self._names[folder]


def candidates(
    patterns: Sequence[str], ignored: Sequence[str], path: PathFolders
) -> list[Candidate]:
    """Every program that the patterns find, in the order of the patterns. A real file is listed
    only once.

    A pattern without a slash is a name on PATH. A longer pattern may begin with `{path}`,
    `{private}`, `~` or `${VARIABLE}`. `ignored` has the names of real files that are never
    runtimes, for example a rustup proxy.
    """
    found: dict[str, Candidate] = {}
    for pattern in patterns:
        for place in _places(pattern, path):
            candidate = Candidate.at(place)
            if candidate is None or Path(candidate.real).name in ignored:
                continue
            if Path(candidate.path).parent.name == SHIM_FOLDER:
                continue
            found.setdefault(candidate.real, candidate)
    return list(found.values())


def _places(pattern: str, path: PathFolders) -> Iterator[str]:
    if "/" not in pattern:
        yield from path.matching(pattern)
        return
    for opened in _opened(pattern, path):
        # The path is resolved first, so that the same file is not reached by two spellings.
        spelled = os.path.normpath(opened)
        if glob.has_magic(spelled):
            yield from sorted(glob.glob(spelled))  # noqa: PTH207 - Path.glob takes no absolute pattern
        else:
            yield spelled


def _opened(pattern: str, path: PathFolders) -> Iterator[str]:
    variable = re.match(r"\$\{(\w+)\}", pattern)
    if variable:
        value = os.environ.get(variable.group(1), "")
        if value:
            yield glob.escape(value) + pattern[variable.end() :]
    elif pattern.startswith("~/"):
        yield from (glob.escape(home) + pattern[1:] for home in _homes())
    elif pattern.startswith("{path}/"):
        yield from (glob.escape(folder) + pattern[len("{path}") :] for folder in path.folders)
    elif pattern.startswith("{private}/"):
        yield glob.escape(str(private_folder())) + pattern[len("{private}") :]
    else:
        yield pattern


def _homes() -> list[str]:
    """The user's home folders: the folder that HOME names (which may be empty or another user's),
    and the home in the password file.
    """
    try:
        system = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        system = ""
    return list(dict.fromkeys(h for h in (os.environ.get("HOME", ""), system) if h))


def _path() -> list[str]:
    return os.environ.get("PATH", os.defpath).split(os.pathsep)


# The limit is ten times the CPU time that Kotlin's compiler, the slowest known program, needs to
# print its version. It took 7 s while 15 other processes ran on two processors.
IDENTIFY_LIMIT_S = 20.0
ANSWER_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True)
class Identification:
    """A candidate's answer: facts by name, or the reason why there are no facts. `other`: the
    candidate is not the implementation that was searched for.
    """

    facts: dict[str, str]
    reason: str = ""
    other: bool = False


def identify(question: Identify, candidate: Candidate) -> Identification:
    """Runs the identifying command. Whatever the candidate does, this function does not raise."""
    command = [part.replace("{executable}", candidate.path) for part in question.command]
    answer = ask(command)
    if answer.failure:
        return Identification({}, f"{candidate.path} {answer.failure}")
    facts: dict[str, str] = {}
    for key, pattern in question.patterns.items():
        match = re.search(pattern, answer.text, re.MULTILINE)
        if match and match.group(1) is not None:
            facts[key] = match.group(1).strip()
    absent = [key for key in question.patterns if key not in facts]
    if "version" not in facts:
        reason = f"{candidate.path} is not used as a runtime, because it printed no version"
        return Identification({}, reason, other=len(absent) < len(question.patterns))
    if absent:
        return Identification(
            {},
            f"{candidate.path} is not used as a runtime, because it did not print its {absent[0]}",
            other=True,
        )
    return Identification(facts)


def passes(check: Check, command: Sequence[str]) -> bool:
    """Whether the command succeeds and its output matches the check."""
    answer = ask(command)
    return not answer.failure and re.search(check.pattern, answer.text) is not None


@dataclass(frozen=True)
class Answer:
    text: str
    failure: str


def ask(command: Sequence[str]) -> Answer:
    """The output of a command within IDENTIFY_LIMIT_S: its standard output, then its standard
    error.

    Variables from which a runtime takes options are not inherited. The command gets its own process
    group, so that the processes that it starts end together with it.
    """
    environment = {k: v for k, v in os.environ.items() if k not in OPTION_VARIABLES}
    environment |= {"LC_ALL": "C", "GOTOOLCHAIN": "local", "GOENV": "off"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            return Answer("", f"cannot be started: {error.strerror}")
        try:
            status = process.wait(IDENTIFY_LIMIT_S)
        except subprocess.TimeoutExpired:
            _end_group(process)
            return Answer(
                "",
                f"did not exit within {IDENTIFY_LIMIT_S:.0f} s when it was asked for its version",
            )
        text = ""
        for stream in (out, err):
            stream.seek(0)
            text += stream.read(ANSWER_LIMIT_BYTES).decode("utf-8", "replace") + "\n"
    if status != 0:
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        return Answer("", f"failed when runfair asked it for its version ({how})")
    return Answer(text, "")


# Each of these variables changes a runtime's behaviour or output.
OPTION_VARIABLES = frozenset(
    [
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "NODE_OPTIONS",
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "GOFLAGS",
        "RUSTUP_TOOLCHAIN",
    ]
)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
