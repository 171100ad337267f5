"""Placeholders and globs of a build recipe."""

from __future__ import annotations

from pathlib import Path

from runfair.building.template import filled_glob, spliced


def test_a_folder_whose_name_is_a_glob_stands_for_itself(tmp_path: Path) -> None:
    folder = tmp_path / "[a]*?"
    folder.mkdir()
    (folder / "one.cpp").touch()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "other.cpp").touch()
    values = {"folder": str(folder), "flags": ["-O2"]}
    command = spliced(["{flags}", "{glob:{folder}/*.cpp}", "{folder}"], values)
    assert command == ["-O2", f"{folder}/one.cpp", str(folder)]
    assert filled_glob("{folder}/*", values) == f"{tmp_path}/[[]a][*][?]/*"
