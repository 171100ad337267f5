"""The result: every field of the generator's own schema, and nothing else.

The samples are the files of one real load, 200 requests a second for a second, of which 250 ms are
warm-up, over 4 connections; made anew when a format changes (`LoadFiles.below`, with records), and
rid of the machine's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.record import BrokenLoadFile
from runfair.loading.generator import LOADGEN

SAMPLE = Path(__file__).with_name("samples") / "load.json"
SCHEMA: dict[str, Any] = json.loads((LOADGEN / "schemas" / "result.schema.json").read_bytes())


def shape(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """What values a schema lets through, without names, texts and ranges: objects by their
    fields, words by the set of them."""
    if "$ref" in schema:
        return shape(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "enum" in schema or "const" in schema:
        return frozenset(schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema or "oneOf" in schema:
        return either([shape(each, root) for each in schema.get("anyOf") or schema["oneOf"]])
    if isinstance(schema["type"], list):
        return either([shape({**schema, "type": each}, root) for each in schema["type"]])
    if schema["type"] == "array":
        return ["array", shape(schema["items"], root)]
    return object_shape(schema, root) if schema["type"] == "object" else schema["type"]


def object_shape(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return {"any name": shape(schema["additionalProperties"], root)}
    return {name: shape(each, root) for name, each in schema["properties"].items()}


def either(shapes: list[Any]) -> Any:
    if all(isinstance(each, frozenset) for each in shapes):
        return frozenset.union(*shapes)
    left = [each for each in shapes if each != "null"]
    assert len(left) == 1, shapes
    return ("or null", left[0])


def differences(theirs: Any, ours: Any, where: str = "") -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in theirs.keys() | ours.keys():
            path = f"{where}.{name}"
            if name not in ours:
                yield f"{path}: not in the record"
            elif name not in theirs:
                yield f"{path}: not in the schema"
            else:
                yield from differences(theirs[name], ours[name], path)
    elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        for one, other in zip(theirs, ours, strict=True):
            yield from differences(one, other, where)
    # A schema's constant is written here as the one word that there is.
    elif theirs != ours and where not in (".format", ".version"):
        yield f"{where}: {theirs} in the schema, {ours} in the record"


def test_the_records_are_the_schema() -> None:
    ours = LoadResult.model_json_schema(mode="validation")
    assert sorted(differences(shape(SCHEMA, SCHEMA), shape(ours, ours))) == []


def test_the_sample_is_valid_and_read_whole() -> None:
    content = json.loads(SAMPLE.read_bytes())
    jsonschema.validate(content, SCHEMA)
    assert read_result(SAMPLE).model_dump(mode="json") == content


@pytest.mark.parametrize("sample", [SAMPLE, LOADGEN / "tests" / "golden" / "result.json"])
def test_the_schema_refuses_what_is_not_a_result(sample: Path) -> None:
    good = json.loads(sample.read_bytes())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(good)
    wrong = [
        good | {"loop": "half-open"},
        good | {"requests": good["requests"] | {"good": -1}},
        good | {"latency_ns": good["latency_ns"] | {"p50": 1.5}},
        good | {"phases": [good["phases"][0] | {"name": "cooldown"}]},
        good | {"verdict": good["verdict"] | {"state": "splendid"}},
        *(
            {name: value for name, value in good.items() if name != missing}
            for missing in ("requests", "verdict", "latency_ns", "loop", "phases")
        ),
    ]
    for one in wrong:
        assert not validator.is_valid(one)


def test_a_result_from_before_processors_were_kept_awake_is_read(tmp_path: Path) -> None:
    content = json.loads(SAMPLE.read_bytes())
    del content["generator"]["threads"][0]["kept_awake"]
    path = tmp_path / "load.json"
    path.write_text(json.dumps(content), "utf-8")
    assert not read_result(path).generator.threads[0].kept_awake


def test_a_result_from_before_schedules_were_shared_is_read(tmp_path: Path) -> None:
    content = json.loads(SAMPLE.read_bytes())
    del content["arrivals"]["shard"]
    path = tmp_path / "load.json"
    path.write_text(json.dumps(content), "utf-8")
    arrivals = read_result(path).arrivals
    assert arrivals is not None
    assert arrivals.shard is None


def test_a_result_from_before_failures_had_brackets_is_read(tmp_path: Path) -> None:
    content = json.loads(SAMPLE.read_bytes())
    del content["latency_ns"]["brackets"]
    path = tmp_path / "load.json"
    path.write_text(json.dumps(content), "utf-8")
    assert read_result(path).latency_ns.brackets == {}


def test_a_result_with_tests_of_gaps_is_read(tmp_path: Path) -> None:
    content = json.loads(SAMPLE.read_bytes())
    content["tests"]["arrivals"] |= {"intended": {"ks_distance": 0.01}, "sent": None}
    path = tmp_path / "load.json"
    path.write_text(json.dumps(content), "utf-8")
    assert read_result(path) == read_result(SAMPLE)


def test_a_figure_is_found_by_its_name() -> None:
    result = read_result(SAMPLE)
    assert result.send_lag_ns.percentile("p50") == result.send_lag_ns.p50 is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version: Input should be 1"),
        ({"format": "other"}, "format: Input should be 'runfair-load result'"),
        ({"host": None}, "host: Input should be a valid string"),
        ({"more": 1}, "more: Extra inputs"),
    ],
)
def test_another_document_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "load.json"
    path.write_text(json.dumps({**json.loads(SAMPLE.read_bytes()), **change}))
    with pytest.raises(BrokenLoadFile, match=message):
        read_result(path)


def test_a_torn_or_missing_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "load.json"
    with pytest.raises(BrokenLoadFile, match=r"the file cannot be read \(No such file"):
        read_result(path)
    path.write_bytes(SAMPLE.read_bytes()[:-10])
    with pytest.raises(BrokenLoadFile, match="the document: Invalid JSON"):
        read_result(path)


@pytest.mark.parametrize(
    ("protocol", "unseen"),
    [("http", 198.0), ("resp", 0.0)],
    ids=["each was found by a comparison", "it is unknown how each was found"],
)
def test_wrong_bodies_of_a_result_from_before_compared_bodies_were_counted(
    tmp_path: Path, protocol: str, unseen: float
) -> None:
    """One in a hundred bodies was compared, and two of these were wrong."""
    content = json.loads(SAMPLE.read_bytes()) | {"protocol": protocol, "check_share": 0.01}
    told = content["requests"]
    del told["checkable"], told["wrong_of_checked"], content["tests"]["failures_each"]
    told |= {"good": 998, "failed": 2, "checked": 10}
    told["failures"]["wrong_body"] = 2
    path = tmp_path / "load.json"
    path.write_text(json.dumps(content), "utf-8")
    result = read_result(path)
    assert result.unseen_wrong == pytest.approx(unseen)
    assert result.tests.failures_each == 1.0
