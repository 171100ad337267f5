"""Installing: whole or not there. Registries are stood in for, except in the long tests."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runfair.catalogue.discovery_cache import DiscoveryCache
from runfair.catalogue.family import catalogue_files, load_families
from runfair.catalogue.runtime import variants
from runfair.cli.app import app
from runfair.errors import UserMistake
from runfair.installing import registry, registry_client
from runfair.installing.offer import FetchFailed, Offer, offer_of, offers
from runfair.installing.registry import install, runtimes_folder, tidy

NOBODY = 65534


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))


@pytest.fixture
def without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "download_bytes", lambda _: 50_000_000)


def give(script: str) -> Callable[[Offer, Path], None]:
    def fetch(offer: Offer, into: Path) -> None:
        program = into / offer.program
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{script}\n")

    return fetch


@pytest.mark.usefixtures("without_network")
def test_size_is_said_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def fetch(offer: Offer, into: Path) -> None:
        said.append("fetched")
        give("echo v24")(offer, into)

    monkeypatch.setattr(registry, "fetch", fetch)
    folder = install("node-24", said.append)
    assert said.index("fetched") == 1
    assert "50 MB to download, about 200 MB on disk" in said[0]
    assert said[-1] == "node-24 is ready: v24"
    assert folder == runtimes_folder() / "node-24"
    again: list[str] = []
    assert install("node-24", again.append) == folder
    assert again == ["node-24 is already installed"]


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$"])
def test_what_does_not_run_is_not_installed(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(registry, "fetch", give(script))
    with pytest.raises(FetchFailed, match="fails"):
        install("node-24")
    assert not list(runtimes_folder().glob("*node*"))
    assert not list(runtimes_folder().glob(".installing-*"))


@pytest.mark.usefixtures("without_network")
def test_package_without_the_program_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "fetch", lambda _, into: (into / "readme").touch())
    with pytest.raises(FetchFailed, match="does not contain the program node_modules"):
        install("node-24")
    assert not (runtimes_folder() / "node-24").exists()


INTERRUPTED = """
import time
from runfair.installing import registry

def fetch(offer, into):
    folder = into / "part"
    folder.mkdir()
    (folder / "file").write_text("half")
    folder.chmod(0o555)
    print("begun", flush=True)
    time.sleep(60)

registry.fetch = fetch
registry.download_bytes = lambda offer: None
registry.install("node-24")
"""


def interrupted() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    return process


def test_killed_installation_is_removed_at_the_next_start() -> None:
    with interrupted() as process:
        process.send_signal(signal.SIGKILL)
    assert list(runtimes_folder().glob(".installing-*"))
    assert not (runtimes_folder() / "node-24").exists()
    assert tidy() == ["node-24"]
    assert not list(runtimes_folder().glob(".installing-*"))
    assert tidy() == []


def test_the_next_command_says_that_it_removed_an_interrupted_installation() -> None:
    with interrupted() as process:
        process.send_signal(signal.SIGKILL)
    done = CliRunner().invoke(app, ["install"])
    assert "the installation of node-24 was interrupted, so its files were removed" in done.stderr
    assert not list(runtimes_folder().glob(".installing-*"))
    assert "interrupted" not in CliRunner().invoke(app, ["install"]).stderr


def test_tidying_leaves_an_installation_under_way_alone() -> None:
    outcome: list[list[str]] = []
    with interrupted() as process:
        tidying = threading.Thread(target=lambda: outcome.append(tidy()), daemon=True)
        tidying.start()
        tidying.join(20)
        waited = tidying.is_alive()
        kept = list(runtimes_folder().glob(".installing-*"))
        process.send_signal(signal.SIGKILL)
    assert not waited, "tidying waited for the installation"
    assert outcome == [[]]
    assert [folder.name for folder in kept] == [".installing-node-24"]
    assert tidy() == ["node-24"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take another user's place")
def test_another_user_s_installation_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a user who may read the private folder, but not write to it."""
    with tempfile.TemporaryDirectory() as private:
        monkeypatch.setenv("RUNFAIR_PRIVATE", private)
        Path(private).chmod(0o755)
        runtimes_folder().mkdir()
        (runtimes_folder() / ".lock").touch()
        os.seteuid(NOBODY)
        try:
            assert tidy() == []
            DiscoveryCache().write()
        finally:
            os.seteuid(0)
        assert [path.name for path in Path(private).iterdir()] == ["runtimes"]


def test_a_read_only_folder_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    runtimes_folder().mkdir(parents=True)
    for name in ("open", "mkdir", "write_text"):
        monkeypatch.setattr(Path, name, refused)
    assert tidy() == []
    DiscoveryCache().write()


@pytest.mark.usefixtures("without_network")
def test_installation_waits_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "fetch", give("echo v24"))
    waiting = threading.Event()

    def on_progress(line: str) -> None:
        if "waiting" in line:
            waiting.set()

    with interrupted() as process:
        second = threading.Thread(target=install, args=("node-24", on_progress))
        second.start()
        assert waiting.wait(30)
        assert not (runtimes_folder() / "node-24").exists()
        process.send_signal(signal.SIGKILL)
    second.join(30)
    assert (runtimes_folder() / "node-24").is_dir()


def test_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UserMistake, match="a runtime 'nod-24'; it can install node-2"):
        install("nod-24")
    with pytest.raises(UserMistake, match=r"runfair cannot install a runtime"):
        offer_of("node-24; rm")


def test_offers_have_a_size_and_a_registry() -> None:
    found = {offer.name: offer for offer in offers()}
    assert {"node-24", "bun", "temurin-25", "go-1.27.0"} <= set(found)
    assert all(offer.size_bytes > 10_000_000 for offer in found.values())
    assert {offer.how for offer in found.values()} == {
        "npm",
        "pip",
        "go",
        "maven",
        "maven-archive",
        "platform",
    }
    assert offer_of("node-23.1.0").version == "23.1.0"


def test_a_version_s_beginning_names_the_newest_listed_version() -> None:
    assert offer_of("go-1.22").name == "go-1.22.12"
    assert offer_of("cpython-3.14").package.startswith("org.bytedeco:cpython:3.14.3-")
    assert offer_of("go-1.2").version == "1.2"


def test_every_runtime_names_a_command_that_installs_it() -> None:
    families, prefix = load_families(catalogue_files()), "./runfair install "
    commands = {name: family.install for name, family in families.families.items()}
    commands.update({name: tool.install for name, tool in families.tools.items()})
    assert {"sparrow", "kotlinc", "go"} <= set(commands)
    for name, command in commands.items():
        assert command, name
        if command.startswith(prefix):
            assert offer_of(command.removeprefix(prefix))


GO = """#!/bin/sh
case "$GOTOOLCHAIN $GOFLAGS" in
"go1.4.3 ")
    bin="$GOMODCACHE/golang.org/toolchain@v0.0.1-go1.4.3.linux-amd64/bin"
    mkdir -p "$bin"
    printf '#!/bin/sh\\n[ "$GOENV$GOFLAGS" = off ]\\n' >"$bin/go"
    chmod -R a-w "$GOMODCACHE"
    ;;
"go1.4.4 ")
    echo "go: downloading go1.4.4 (linux/amd64)"
    echo "go: download go1.4.4: verifying module: checksum mismatch"
    printf '\\tdownloaded: h1:a\\n\\nSECURITY ERROR\\nFor more, see help.\\n'
    exit 1
    ;;
esac >&2
"""


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "go"
    program.parent.mkdir()
    program.write_text(GO)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    monkeypatch.setenv("GOFLAGS", "-buildvcs=false")


@pytest.mark.usefixtures("go")
def test_an_old_go_gets_no_flags_of_a_newer_one() -> None:
    folder = install("go-1.4.3")
    assert [path.name for path in folder.iterdir()] == ["bin"]


@pytest.mark.usefixtures("go")
def test_a_go_that_cannot_download_other_versions_is_said() -> None:
    """It prints its own version and succeeds."""
    with pytest.raises(FetchFailed, match=r"did not download Go 1\.22\.12; only Go 1\.21 or newer"):
        install("go-1.22.12")


@pytest.mark.usefixtures("go")
def test_a_wrong_checksum_is_said_in_one_line() -> None:
    with pytest.raises(FetchFailed, match=r"^go-1.4.4 was not installed: go failed: .* mismatch; "):
        install("go-1.4.4")
    assert not list(runtimes_folder().glob("*go*"))


@pytest.mark.usefixtures("go")
def test_a_version_that_no_registry_has_is_said_in_one_line_with_those_that_exist() -> None:
    with pytest.raises(FetchFailed) as refused:
        install("go-1.99")
    (line,) = str(refused.value).splitlines()
    assert line.startswith("go-1.99 was not installed: ")
    assert "; versions that exist: go-" in line
    assert "go-1.4.3" in line


@pytest.mark.usefixtures("without_network")
def test_a_listed_version_that_fails_is_not_answered_with_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetch(_offer: Offer, _into: Path) -> None:
        raise FetchFailed("npm failed: no network")

    monkeypatch.setattr(registry, "fetch", fetch)
    with pytest.raises(FetchFailed, match=r"^node-24 was not installed: npm failed: no network$"):
        install("node-24")


MVN = """#!/bin/sh
case "$*" in *--strict-checksums*) ;; *) exit 1 ;; esac
case "$*" in *:unpack*)
    for word; do case $word in -DoutputDirectory=*) into="${word#*=}" ;; esac; done
    bin="$into/org/bytedeco/cpython/linux-$(uname -m | sed s/aarch64/arm64/)/bin"
    mkdir -p .repository "$bin"
    printf '#!/bin/sh\necho Python 3.14.3\n' >"$bin/python3"
    exit
esac
if ! grep -q '<version>2.4.21</version>' pom.xml; then
    printf '\\033[0m\\033[0m\\n' >&2
    printf '[\\033[1;31mERROR\\033[m] no such version\\n'
    exit 1
fi
mkdir .repository lib
for word; do case $word in -DoutputDirectory=*) touch "${word#*=}/some.jar" ;; esac; done
"""
JAVA = """#!/bin/sh
echo "$*"
"""


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("mvn", MVN), ("java", JAVA)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")


@pytest.mark.usefixtures("maven")
def test_package_of_maven_is_started_by_its_main_class() -> None:
    folder = install("kotlin")
    assert sorted(path.name for path in folder.iterdir()) == ["bin", "lib", "pom.xml"]
    kotlinc = folder / "bin" / "kotlinc"
    said = subprocess.run([kotlinc, "a b"], capture_output=True, text=True, check=True).stdout
    main = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
    assert said == f"-cp {folder}/bin/../lib/* {main} a b\n"


@pytest.mark.usefixtures("maven")
def test_an_archive_s_programs_become_executable_and_nothing_else_is_left() -> None:
    folder = install("cpython-3.14")
    assert folder.name == "cpython-3.14.3"
    assert sorted(path.name for path in folder.iterdir()) == ["bin"]


@pytest.mark.usefixtures("maven")
def test_package_that_maven_does_not_have_is_said() -> None:
    with pytest.raises(FetchFailed, match=r"mvn failed: \[ERROR\] no such version;"):
        install("kotlin-9.9")
    assert not (runtimes_folder() / "kotlin-9.9").exists()


PLATFORM = """#!/bin/sh
[ "$1" = --version ] || exit 1
[ -z "$BROKEN" ] || { echo "sparrow: it does not compile"; exit 2; } >&2
mkdir -p "$RUNFAIR_PRIVATE/sparrow/build"
printf '#!/bin/sh\\necho sparrow 1.0\\n' >"$RUNFAIR_PRIVATE/sparrow/build/sparrow"
"""


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "platforms" / "sparrow" / "sparrow"
    command.parent.mkdir(parents=True)
    command.write_text(PLATFORM)
    command.chmod(0o755)
    monkeypatch.setattr(registry_client, "PLATFORMS", tmp_path / "platforms")


@pytest.mark.usefixtures("platform")
def test_platform_is_built_by_its_command_and_its_launcher_is_named() -> None:
    said: list[str] = []
    launcher = install("sparrow", said.append) / "sparrow"
    assert subprocess.run([launcher], capture_output=True, check=True).stdout == b"sparrow 1.0\n"
    assert said[-1] == f"sparrow is ready: sparrow 1.0; start it with {launcher}"


@pytest.mark.usefixtures("platform")
def test_platform_that_does_not_compile_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKEN", "1")
    with pytest.raises(FetchFailed, match=r"^sparrow failed: it does not compile$"):
        install("sparrow")


@pytest.mark.long
def test_maven_really_gives_the_compiler() -> None:
    assert (install("kotlin") / "lib" / "kotlin-stdlib.jar").is_file()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "family", "version"),
    [
        ("node-24", "node", "24."),
        ("bun", "bun", "1."),
        ("temurin-21", "temurin", "21."),
        ("cpython-3.14", "cpython", "3.14."),
        ("go-1.24.13", "go", "1.24.13"),
        ("go-1.13.15", "go", "1.13.15"),
        ("go-1.4.3", "go", "1.4.3"),
    ],
)
def test_registries_really_give_them(name: str, family: str, version: str) -> None:
    folder = install(name)
    found = [v for v in variants() if v.family == family and v.version.startswith(version)]
    assert any(v.state == "ready" and str(v.executable).startswith(str(folder)) for v in found)


def test_a_user_s_settings_of_pip_do_not_contradict_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def run_command(
        command: list[str], *, environment: dict[str, str], **_: object
    ) -> subprocess.CompletedProcess[str]:
        seen.extend([*command, environment["PIP_USER"]])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(registry_client, "run_command", run_command)
    monkeypatch.setenv("PIP_USER", "1")
    registry_client.fetch(offer_of("temurin-25"), tmp_path)
    assert "--prefix=" in seen  # replaces the one of a file pip.conf
    assert seen[-1] == "0"
