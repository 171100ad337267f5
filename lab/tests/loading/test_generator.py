"""The executable: built once, again when its sources change, and not where that cannot be."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from runfair.building import crate as crates
from runfair.building.crate import rust_for
from runfair.building.failure import BuildFailed
from runfair.catalogue.family import BUILT_IN, load_families
from runfair.errors import UserMistake
from runfair.formats.variant import Variant
from runfair.loading import generator as loading
from runfair.loading.generator import LOADGEN, generator, minimum_rust

MANIFEST = """
[package]
name = "runfair-load"
version = "0.1.0"
edition = "2021"
rust-version = "{minimum}"
[workspace]
"""
LOCK = """
version = 3
[[package]]
name = "runfair-load"
version = "0.1.0"
"""
VARIANT = Variant(
    name="rust-1.70",
    runtime="rust-1.70",
    family="rust",
    version="1.70",
    language="rust",
    origin="",
    state="ready",
)
ANSWERS = "fn main() {{ std::process::exit({number}); }}\n"


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    monkeypatch.delenv("RUNFAIR_RUNTIMES", raising=False)
    return tmp_path / "private"


@pytest.fixture
def crate(tmp_path: Path, private: Path) -> Callable[..., Path]:
    """A crate of the generator's name without dependencies; skips where no Rust is here."""

    def made(main: str, minimum: str = "1.70") -> Path:
        folder = tmp_path / "loadgen"
        (folder / "src").mkdir(parents=True, exist_ok=True)
        (folder / "Cargo.toml").write_text(MANIFEST.format(minimum=minimum))
        (folder / "Cargo.lock").write_text(LOCK)
        (folder / "src" / "main.rs").write_text(main)
        return folder

    try:
        rust_for(loading.NAME, "1.70")
    except UserMistake as missing:
        pytest.skip(str(missing))
    assert private.exists()
    return made


def status(executable: Path) -> int:
    return subprocess.run([executable], check=False).returncode


def test_it_is_built_once_and_again_when_a_source_changes(
    crate: Callable[..., Path], private: Path
) -> None:
    folder = crate(ANSWERS.format(number=42))
    first = generator(folder)
    assert first.parent.parent == private / "loadgen"
    assert status(first) == 42
    built_ns = first.stat().st_mtime_ns
    (folder / "tests").mkdir()
    (folder / "tests" / "other.rs").touch()  # nothing that the executable depends on
    assert generator(folder) == first
    assert first.stat().st_mtime_ns == built_ns
    second = generator(crate(ANSWERS.format(number=43)))
    assert second != first
    assert (status(second), status(first)) == (43, 42)
    assert loading.crate().target_folder().is_relative_to(private)
    assert not (folder / "target").exists()


def test_it_is_not_built_again_if_the_private_folder_was_moved(
    crate: Callable[..., Path], private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crate(ANSWERS.format(number=42))
    built = generator(folder).relative_to(private)
    moved = private.rename(private.with_name("moved"))
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(moved))
    assert generator(folder) == moved / built


def test_a_build_that_fails_names_its_log(crate: Callable[..., Path]) -> None:
    with pytest.raises(BuildFailed, match=r"could not be built by rust-.* see ") as caught:
        generator(crate("fn main() { nonsense }"))
    log = Path(str(caught.value).rpartition("see ")[2])
    assert "nonsense" in log.read_text()
    assert status(generator(crate(ANSWERS.format(number=7)))) == 7


def test_a_rust_that_is_too_old_is_said(crate: Callable[..., Path]) -> None:
    with pytest.raises(UserMistake, match=r"Rust 99\.0 or newer with Cargo, but Cargo is missing"):
        generator(crate(ANSWERS.format(number=0), minimum="99.0"))


def test_a_host_without_rust_uses_the_build_of_another(
    private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a cluster whose hosts share the private folder."""

    def no_rust(*_: str) -> Variant:
        raise UserMistake("install Rust")

    def made(folder: Path, _: Callable[[Path], None]) -> Path:
        folder.mkdir(parents=True)
        (folder / loading.NAME).touch()
        return folder

    manifest, rustc = tmp_path / "Cargo.toml", tmp_path / "rustc"
    manifest.write_text(MANIFEST.format(minimum="1.70"))
    rustc.touch()
    rust = VARIANT.model_copy(update={"family": "rust", "executable": str(rustc)})
    families = load_families([BUILT_IN])
    monkeypatch.setattr(crates, "recently_discovered", lambda: (families, None))
    monkeypatch.setattr(crates, "rust_for", lambda *_: rust)
    monkeypatch.setattr(crates, "made", made)
    built = generator(tmp_path)
    assert built.is_relative_to(private)
    monkeypatch.setattr(crates, "rust_for", no_rust)
    assert generator(tmp_path) == built
    manifest.write_text(MANIFEST.format(minimum="1.71"))
    with pytest.raises(UserMistake, match="install Rust"):
        generator(tmp_path)


def test_the_executable_depends_on_the_shared_crate_too() -> None:
    manifest = tomllib.loads((LOADGEN / "Cargo.toml").read_text())
    shared = manifest["workspace"]["dependencies"]["runfair-measuring"]
    assert loading.crate().beside == ((LOADGEN / shared["path"]).resolve(),)


def test_the_repository_says_what_it_needs() -> None:
    major, minor = minimum_rust().split(".")
    assert (major, int(minor) >= 70) == ("1", True)
    assert all((LOADGEN / name).exists() for name in ("Cargo.lock", "src/main.rs"))
