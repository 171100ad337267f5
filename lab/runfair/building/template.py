"""The placeholders of `runtimes.toml`: `{name}`, placeholders that stand for a list, and
`{glob:PATTERN}`."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence

from runfair.errors import UserMistake

Values = Mapping[str, str | Sequence[str]]
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_GLOB = re.compile(r"^\{glob:(.+)\}$")


def filled(template: str, values: Values) -> str:
    """The template as one string, with its placeholders filled. Every placeholder must have a
    single value; otherwise UserMistake is raised."""

    def value_of(match: re.Match[str]) -> str:
        value = values.get(match.group(1))
        if value is None:
            known = ", ".join(sorted(values))
            raise UserMistake(
                f"runtimes.toml: the placeholder {match.group()} is unknown here; use one of "
                f"{known}"
            )
        if not isinstance(value, str):
            raise UserMistake(
                f"runtimes.toml: the value of the placeholder {match.group()} is a list, so the "
                "placeholder must be an argument by itself"
            )
        return value

    return _PLACEHOLDER.sub(value_of, template)


def filled_glob(pattern: str, values: Values) -> str:
    """The glob with its placeholders filled. A value stands for itself, because the name of a
    folder above the repository may contain `*`, `?` or `[`."""
    literal = {
        name: glob.escape(value) if isinstance(value, str) else value
        for name, value in values.items()
    }
    return filled(pattern, literal)


def spliced(templates: Sequence[str], values: Values) -> list[str]:
    """The templates as a command, with their placeholders filled. An element that is a placeholder
    for a list, or a glob, becomes several elements."""
    command: list[str] = []
    for template in templates:
        alone = _PLACEHOLDER.fullmatch(template)
        value = values.get(alone.group(1)) if alone else None
        pattern = _GLOB.match(template)
        if value is not None and not isinstance(value, str):
            # Flags are templates themselves: `-pgo={output}/training.pgo`.
            command += [filled(element, values) for element in value]
        elif pattern:
            where = filled_glob(pattern.group(1), values)
            command += sorted(glob.glob(where))  # noqa: PTH207 - Path.glob takes no absolute pattern
        else:
            command.append(filled(template, values))
    return command


def filled_environment(environment: Mapping[str, str], values: Values) -> dict[str, str]:
    """The variables, with their placeholders filled. A variable with an empty value is removed."""
    return {name: filled(value, values) for name, value in environment.items()}
