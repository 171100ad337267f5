"""Profiles: the effort that is spent on an experiment, unless the experiment states another."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, get_args

from pydantic import AfterValidator, Field

from runfair.catalogue.benchmark import unknown
from runfair.errors import UserMistake
from runfair.formats.plan import Effort, ProfileName
from runfair.formats.record import Record


@dataclass(frozen=True)
class Profile:
    """A profile. `size` is the size of every benchmark; if the experiment itself states it
    (`size_stated`), it is used in every mode. `effort` is used for every cell.
    """

    size: str
    effort: Effort
    size_stated: bool = False


# The number of executions is even because of the mirrored order: 6 for a quick look, 10 by default,
# 20 for a publication. If the standard deviation between processes is 1%, the half-width of the
# interval is 0.94% with 10 executions and 0.52% with 30 (simulated). Pilots set the floor of the
# stopping rule if the profile has time for them.
PROFILES: MappingProxyType[ProfileName, Profile] = MappingProxyType(
    {
        "smoke": Profile(
            "tiny",
            Effort(
                executions=2,
                max_seconds=1.5,
                timeout_seconds=60,
                service_executions=1,
                load_seconds=3,
                probe_seconds=1,
            ),
        ),
        "quick": Profile(
            "small",
            Effort(
                executions=6,
                max_seconds=6,
                timeout_seconds=120,
                service_executions=6,
                load_seconds=20,
                probe_seconds=5,
            ),
        ),
        "full": Profile(
            "small",
            Effort(
                executions=10,
                max_seconds=30,
                timeout_seconds=600,
                pilots=2,
                pilot_seconds=60,
                service_executions=10,
                load_seconds=60,
                probe_seconds=10,
            ),
        ),
        "publish": Profile(
            "large",
            Effort(
                executions=20,
                max_seconds=180,
                timeout_seconds=3600,
                pilots=2,
                pilot_seconds=300,
                service_executions=20,
                load_seconds=180,
                probe_seconds=30,
            ),
        ),
    }
)


# With 30 s per execution (profile `full`), a thousand executions of one cell take more than eight
# hours.
MOST_EXECUTIONS = 1000

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _one_or_even(executions: int) -> int:
    if executions != 1 and executions % 2:
        raise ValueError(
            "the number of executions must be 1 or even, because runfair runs all programs in a "
            "random order and then in the reverse order"
        )
    return executions


class ProfileText(Record):
    """An experiment's changes to a profile (`[profiles.NAME]`)."""

    size: str | None = None
    variants: list[str] | None = None
    executions: Annotated[int, Field(ge=2, le=MOST_EXECUTIONS, multiple_of=2)] | None = None
    max_seconds: Seconds | None = None
    timeout_seconds: Seconds | None = None
    pilots: Annotated[int, Field(ge=0)] | None = None
    pilot_seconds: Seconds | None = None
    service_executions: (
        Annotated[int, Field(ge=1, le=MOST_EXECUTIONS), AfterValidator(_one_or_even)] | None
    ) = None
    load_seconds: Seconds | None = None
    probe_seconds: Seconds | None = None


def profile_name(name: str) -> ProfileName:
    """The name, if it is the name of a profile. Raises UserMistake if no profile has this name."""
    for known in get_args(ProfileName):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise unknown("profile", name, get_args(ProfileName))


def greater_profile(name: ProfileName) -> ProfileName | None:
    """The next longer profile; None if this profile is the longest."""
    names = [*PROFILES]
    place = names.index(name) + 1
    return names[place] if place < len(names) else None


def profile(name: ProfileName, changes: ProfileText | None) -> Profile:
    """The profile, with the experiment's own changes applied. Raises UserMistake if the changes
    would end executions before they can complete.
    """
    base = PROFILES[name]
    if changes is None:
        return base
    changed = changes.model_dump(exclude_none=True, exclude={"size", "variants"})
    effort = base.effort.model_copy(update=changed)
    if effort.timeout_seconds < effort.max_seconds:
        raise UserMistake(
            f"in the profile {name}, timeout_seconds ({effort.timeout_seconds:g}) is less than "
            f"max_seconds ({effort.max_seconds:g}), so executions would end before they are "
            f"complete; raise timeout_seconds in [profiles.{name}]"
        )
    return Profile(changes.size or base.size, effort, size_stated=changes.size is not None)
