"""What an unprivileged user can reach."""

from __future__ import annotations

from runfair.machine.environment import (
    GIVEN_PYTHONPATH,
    clean_environment,
    dropped_variables,
    own_environment,
)
from runfair.paths import REPOSITORY

INHERITED = {
    "PATH": "/opt/bin:/usr/bin",
    "HOME": "/home/someone",
    "LANG": "de_DE.UTF-8",
    "EDITOR": "vi",
    "GOGC": "off",
    "JAVA_TOOL_OPTIONS": "-Xint",
    "NODE_OPTIONS": "--max-old-space-size=100",
    "PYTHONHASHSEED": "0",
    "LD_PRELOAD": "libjemalloc.so",
    "MALLOC_ARENA_MAX": "1",
}


def test_only_the_allow_list_passes() -> None:
    assert clean_environment(INHERITED) == {
        "PATH": "/opt/bin:/usr/bin",
        "HOME": "/home/someone",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def test_what_steers_a_runtime_is_named_and_the_rest_is_not() -> None:
    assert dropped_variables(INHERITED) == (
        "GOGC",
        "JAVA_TOOL_OPTIONS",
        "LD_PRELOAD",
        "MALLOC_ARENA_MAX",
        "NODE_OPTIONS",
        "PYTHONHASHSEED",
    )


def test_an_empty_environment_still_finds_programs() -> None:
    assert clean_environment({}) == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def test_the_labs_own_path_is_not_the_users() -> None:
    lab = str(REPOSITORY / "lab")
    assert dropped_variables({"PYTHONPATH": lab, "GOGC": "50"}) == ("GOGC",)
    assert dropped_variables({"PYTHONPATH": f"{lab}:/elsewhere"}) == ("PYTHONPATH",)
    assert dropped_variables({"PYTHONPATH": lab, GIVEN_PYTHONPATH: "/own"}) == ("PYTHONPATH",)


def test_the_users_own_path_is_that_of_the_users_programs() -> None:
    lab = str(REPOSITORY / "lab")
    assert own_environment({"PYTHONPATH": lab, GIVEN_PYTHONPATH: "/own"}) == {"PYTHONPATH": "/own"}
    assert own_environment({"PYTHONPATH": lab, GIVEN_PYTHONPATH: ""}) == {}
