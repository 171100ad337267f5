"""The values of a runtime in the texts of the catalogue."""

from __future__ import annotations

import pytest

from catalogue.invented import Bench
from runfair.paths import private_folder


def test_what_a_variant_needs_is_found_in_a_folder_whose_name_is_a_glob(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = private_folder() / "[a]"
    folder.mkdir(parents=True)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(folder))
    bench.toy("toy", "3.1")
    text = bench.file.read_text()
    bench.file.write_text(text.replace("[toy]", '[toy]\nneeds = ["{private}/*.jar"]'))
    (variant, _) = bench.variants()
    assert (variant.state, variant.reason) == ("missing", f"{folder}/*.jar is not installed")
    (folder / "a.jar").touch()
    assert {one.state for one in bench.variants()} == {"ready"}
