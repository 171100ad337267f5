"""Parses a document of operations on widgets. The answer is how many operations there are."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark, Random
from awfy.awfy.python.json_parser import JsonParser

OPERATIONS = 156


def document_text() -> str:
    random = Random()
    operations = ",".join(operation(i, random) for i in range(OPERATIONS))
    return f'{{"head":{{"counter":4,"valid":true}},"operations":[{operations}]}}'


def operation(index: int, random: Random) -> str:
    kind = random.next() % 3
    start = f'","w{index}",'
    if kind == 0:
        widget = random.next() % 20
        parent = random.next() % (index + 1)
        place = f"{random.next() % 1000},{random.next() % 1000}"
        extent = f"{random.next() % 200},{random.next() % 50}"
        fields = f'"style":["BORDER","FLAT"],"bounds":[{place},{extent}]'
        last = f'"tabIndex":-{random.next() % 10},"visible":true'
        return f'["create{start}"Widget{widget}",{{"parent":"w{parent}",{fields},{last}}}]'
    if kind == 1:
        text = f'"text":"Item \\"{random.next() % 100}\\"\\n"'
        weight = f'"weight":0.{random.next() % 1000}e+2'
        return f'["set{start}{{{text},"selection":null,{weight},"enabled":false}}]'
    entries = ", ".join(entry(random) for _ in range(3))
    return f'["call{start}"update",{{"values":[{entries}]}}]'


def entry(random: Random) -> str:
    return f'{{"key":"k{random.next() % 40}","value":{random.next() % 10000}}}'


class Json(Benchmark):
    __slots__ = ("text",)

    def __init__(self) -> None:
        self.text = document_text()

    def once(self) -> int:
        document = JsonParser(self.text).parse()
        if not document.is_object() or not document.as_object().get("head").is_object():
            raise RuntimeError("the document has no head")
        operations = document.as_object().get("operations")
        if not operations.is_array():
            raise RuntimeError("the document has no operations")
        return operations.as_array().size()
