"""Logs with unusual content that no program would write, and queries for them."""

from __future__ import annotations

import random
import re

from langbench.log.transcription import Folder

# Pieces of lines with edge cases of tokens, numbers and bytes.
AWKWARD = [
    *(b" ", b"  ", b"\t", b"\r", b"=", b":", b",", b"[", b"]", b"(", b")", b"*", b"\\", b"$", b"^"),
    *(b"a", b"z", b"key=value", b"user=", b"=x", b"==y", b"a=b=c", b"=-", b"=.", b"path=/a/b.c"),
    *(b"0", b"7", b"007", b"-1", b"-0", b"-", b"--5", b"+5", b"1-2", b"0x1f", b"1e5", b"-0.50"),
    *(b"3.14", b"0.0", b"00.10", b".5", b"5.", b"1.2.3", b"10.0.3.7", b"1.", b"."),
    *(
        b"9999999999999",
        b"12345678901234",
        b"1234567.890123",
        b"1234567.8901234",
        b"-9.999999999999",
    ),
    *(
        b"task_7",
        b"task_71",
        b"xtask_7",
        b"attempt_1_0001_m_000003_1",
        b"done.",
        b"{}",
        b"a|b",
        b"(?i)",
    ),
    *(
        b"\x11",
        b"\x12",
        b"a\x12b",
        b"\x00",
        b"\xff",
        b"\xc3\xa9",
        b"caf\xc3",
        b"\xe2\x80\xa8",
        b"\x85",
    ),
]


def awkward_folder(seed: int) -> Folder:
    draw = random.Random(seed)
    folder = {
        "a-empty.log": b"",
        "b-feeds.log": b"\n\n\n",
        "c-crlf.log": b"one 1\r\ntwo 2\r\n",
        "d-unended.log": b"first 1\nlast 2",
        "e-long.log": b"x" * 4000 + b" 1 " + b"ab 12 " * 600 + b"\n",
        # Upper case comes before lower case, as in the order of bytes.
        "Z.log": b"the first file 1\n",
    }
    for number in range(12):
        lines = [
            b"".join(draw.choice(AWKWARD) for _ in range(draw.randrange(12)))
            for _ in range(draw.randrange(40))
        ]
        folder[f"m{number}.log"] = b"\n".join(lines) + draw.choice([b"", b"\n"])
    return folder


def awkward_queries(seed: int, folder: Folder) -> list[str]:
    """Queries that are parts of the lines, with some characters replaced by an asterisk."""
    draw = random.Random(seed)
    printable = [
        run.decode("ascii")
        for content in folder.values()
        for run in re.findall(rb"[ -~]{1,60}", content)
    ]
    queries = ["*", "**", "a*", "*a", "no such line", "key=value", "=", "=v", "1", "7*7", "-0.50"]
    for _ in range(110):
        run = draw.choice(printable)
        begin = draw.randrange(len(run))
        query = list(run[begin : begin + draw.randrange(1, 25)])
        for _ in range(draw.choice([0, 0, 1, 2])):
            at = draw.randrange(len(query))
            query[at : at + draw.randrange(4)] = ["*"]
        queries.append("".join(query))
    return queries
