"""Mutants as the folders of programs list them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.catalogue.program import FILE_NAME, Edit, MutantText, mutants_of
from runfair.errors import UserMistake

EDITS = 'edits = [{ file = "walk.go", old = "walk()", new = "" }]\n'
TEXT = f'[[mutant]]\nname = "no walk"\nkind = "skipped"\n{EDITS}'


def test_a_mutant_is_a_list_of_edits(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(TEXT + "quick = true\n")
    (mutant,) = mutants_of(tmp_path)
    assert mutant.folder == tmp_path
    assert (mutant.text.name, mutant.text.kind, mutant.text.quick) == ("no walk", "skipped", True)
    assert (mutant.text.workload, mutant.text.form) == ("", "")
    assert mutant.text.edits == [Edit(file="walk.go", old="walk()", new="")]


def test_a_folder_without_mutants(tmp_path: Path) -> None:
    assert mutants_of(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (TEXT.replace("skipped", "faster"), "kind"),
        (TEXT.replace(EDITS, "edits = []\n"), "edits"),
        (TEXT.replace(EDITS, ""), "edits"),
        (TEXT.replace('"walk()"', '""'), "old"),
        (TEXT.replace("[[mutant]]", "[[mutants]]"), "mutants"),
        (TEXT + "slow = true\n", "slow"),
    ],
)
def test_a_list_that_is_none_is_told_with_its_key(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(text)
    with pytest.raises(UserMistake) as mistake:
        mutants_of(tmp_path)
    assert str(path) in str(mistake.value)
    assert key in str(mistake.value)


@pytest.mark.parametrize("name", benchmarks())
def test_the_committed_edits_fit(name: str) -> None:
    benchmark = benchmarks()[name]
    for program in benchmark.programs:
        found = mutants_of(program.folder)
        assert len({mutant.text.name for mutant in found}) == len(found)
        for mutant in found:
            assert mutant.text.workload in ("", *benchmark.text.workloads)
            assert mutant.text.form in ("", *benchmark.text.forms)
            for edit in mutant.text.edits:
                text = (program.folder / edit.file).read_text(encoding="utf-8")
                assert text.count(edit.old) == 1, (mutant.text.name, edit.file)
                assert edit.new != edit.old


def test_each_language_of_langbench_has_a_mutant_of_each_kind() -> None:
    """The forms of a benchmark share their programs."""
    kinds = set(get_args(MutantText.model_fields["kind"].annotation))
    folders = {
        program.folder
        for benchmark in benchmarks().values()
        for program in benchmark.programs
        if program.suite == "langbench" and program.tier == STANDARD
    }
    missing = {
        folder: kinds - found
        for folder in folders
        if (found := {mutant.text.kind for mutant in mutants_of(folder)}) != kinds
    }
    assert folders
    assert missing == {}


def test_the_quick_mutants_are_one_of_each_kind_in_each_language() -> None:
    """Programs of other tiers may have further quick mutants."""
    folders = {
        (program.language, program.folder)
        for benchmark in benchmarks().values()
        for program in benchmark.programs
        if program.tier == STANDARD
    }
    mutants = [(language, one.text) for language, folder in folders for one in mutants_of(folder)]
    assert {language for language, _ in mutants} == {language for language, _ in folders}
    quick = Counter((language, one.kind) for language, one in mutants if one.quick)
    assert quick == dict.fromkeys({(language, one.kind) for language, one in mutants}, 1)
