"""Service benchmarks are found by their files, with every framework below them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from runfair.catalogue.family import catalogue_files, load_families
from runfair.catalogue.service import select_benchmarks_and_services, service_benchmarks
from runfair.errors import UserMistake
from runfair.formats.service import WebTest

SERVICE = """
name = "shop"
suite = "services"
about = "A shop"
generator = "make.py"
default_workload = "browse"
[workloads.browse]
about = "GET"
traffic = "browse.jsonl"
[sizes]
tiny = { goods = 10 }
"""
FRAMEWORK = """
name = "{name}"
language = "toy"
families = ["toy"]
about = "A framework"
[build]
sources = ["{{folder}}/*"]
[run]
command = ["{{executable}}"]
"""


def shop(root: Path, folder: str = "shop", text: str = SERVICE, **frameworks: str) -> Path:
    """Frameworks by the folder that each stands in."""
    place = root / "services" / folder
    place.mkdir(parents=True)
    (place / "service.toml").write_text(text)
    for where, name in frameworks.items():
        (place / "toy" / where).mkdir(parents=True)
        (place / "toy" / where / "program.toml").write_text(FRAMEWORK.format(name=name))
    return place


def test_adding_a_framework_is_adding_a_folder(tmp_path: Path) -> None:
    place = shop(tmp_path, one="quick", two="slow")
    (found,) = service_benchmarks(tmp_path).values()
    assert sorted(found.frameworks) == ["quick", "slow"]
    quick = found.framework("quick")
    assert (quick.source.folder, quick.source.tier) == (place / "toy" / "one", "quick")
    assert (quick.source.suite, quick.source.benchmark) == ("services", "shop")
    assert found.workload("browse").traffic == "browse.jsonl"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("framework", "no service of shop is named 'quikc'; choose from quick"),
        ("workload", "no workload of shop is named 'quikc'; choose from browse"),
    ],
)
def test_an_unknown_name_tells_the_nearest(asked: str, said: str, tmp_path: Path) -> None:
    shop(tmp_path, one="quick")
    found = service_benchmarks(tmp_path)["shop"]
    with pytest.raises(UserMistake) as mistake:
        found.framework("quikc") if asked == "framework" else found.workload("quikc")
    assert str(mistake.value) == said


def test_a_framework_may_lack_a_workload_and_says_why(tmp_path: Path) -> None:
    place = shop(tmp_path, one="quick")
    text = place / "toy" / "one" / "program.toml"
    lacks = 'without = {{ {} = "no shelves" }}\n[build]'
    plain = text.read_text()
    text.write_text(plain.replace("[build]", lacks.format("browse")))
    assert service_benchmarks(tmp_path)["shop"].framework("quick").text.without == {
        "browse": "no shelves"
    }
    text.write_text(plain.replace("[build]", lacks.format("brows")))
    with pytest.raises(
        UserMistake, match="`without` names the workload 'brows', which shop does not have"
    ):
        service_benchmarks(tmp_path)


def test_every_web_framework_has_a_class_and_every_test_its_rules() -> None:
    web = service_benchmarks()["techempower"]
    assert {one.rules for one in web.text.workloads.values()} - {None} == set(get_args(WebTest))
    for framework in web.frameworks.values():
        assert framework.text.classification is not None


def test_they_are_selected_by_name_and_once(tmp_path: Path) -> None:
    shop(tmp_path)
    known = service_benchmarks(tmp_path)
    programs, services = select_benchmarks_and_services(["shop", "shop"], {}, known)
    assert programs == []
    assert [one.name for one in services] == ["shop"]
    with pytest.raises(UserMistake, match="no benchmark is named 'shops'; choose from shop"):
        select_benchmarks_and_services(["shops"], {}, known)


def test_a_default_workload_that_is_none_is_told(tmp_path: Path) -> None:
    place = shop(tmp_path, text=SERVICE.replace('"browse"\n[', '"buy"\n['))
    with pytest.raises(UserMistake) as mistake:
        service_benchmarks(tmp_path)
    assert str(mistake.value) == (
        f"{place / 'service.toml'}: `default_workload` is 'buy', but this benchmark has no such "
        "workload; choose from browse"
    )


def test_two_of_one_name_are_told(tmp_path: Path) -> None:
    shop(tmp_path)
    second = shop(tmp_path, "shop2")
    with pytest.raises(UserMistake, match=f"{second}.*: another service benchmark already has"):
        service_benchmarks(tmp_path)


def test_two_frameworks_of_one_name_are_told(tmp_path: Path) -> None:
    shop(tmp_path, one="quick", two="quick")
    with pytest.raises(UserMistake, match=r"two/program\.toml: shop already has a program"):
        service_benchmarks(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('about = "A shop"\n', "", "service.toml:1: about: Field required"),
        ("tiny = { goods = 10 }", "", "service.toml:10: sizes: "),
        ('suite = "services"', 'suite = "services', "service.toml:3: the line is malformed TOML"),
        ('suite = "services"', 'suite = "services"\ncolour = "red"', "service.toml:4: colour: "),
    ],
)
def test_a_bad_file_is_told_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in SERVICE
    shop(tmp_path, text=SERVICE.replace(old, new))
    with pytest.raises(UserMistake) as mistake:
        service_benchmarks(tmp_path)
    assert said in str(mistake.value)


def test_the_committed_services_can_be_read_and_run_on_known_runtimes() -> None:
    families = load_families(catalogue_files()).families
    benchmarks = service_benchmarks()
    assert "payments" in benchmarks
    for benchmark in benchmarks.values():
        assert {"tiny", "small"} <= set(benchmark.text.sizes)
        assert (benchmark.folder / benchmark.text.generator).is_file()
        assert benchmark.frameworks
        for framework in benchmark.frameworks.values():
            for family in framework.text.families:
                assert families[family].language == framework.text.language
