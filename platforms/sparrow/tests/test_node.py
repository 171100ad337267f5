"""Tests of what sparrow has of Node and of the web, compared with Node itself: the engine's package
contains Node of the same version of V8."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

LIMIT_S = 120
Compare = Callable[..., list[object]]
# Prints what a function gives for each of a list of inputs, and which kind of error it throws.
PROGRAM = """
const inputs = JSON.parse(process.argv[2]);
const outcomes = [];
for (const input of inputs) {
  try {
    outcomes.push(await (FUNCTION)(input));
  } catch (error) {
    outcomes.push(`throws ${error.constructor.name}`);
  }
}
console.log(JSON.stringify(outcomes));
"""


@pytest.fixture
def compare(sparrow: Path, tmp_path: Path) -> Compare:
    """Asserts that a function gives the same for all inputs, and returns what it gives."""
    launcher = Path(
        subprocess.run(
            [sparrow, "--launcher"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )

    def outcomes(runtime: Path, program: Path, inputs: list[object]) -> list[object]:
        command: list[Path | str] = [runtime, program, json.dumps(inputs)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert done.returncode == 0, done.stderr
        given = json.loads(done.stdout)
        assert isinstance(given, list)
        return given

    def equal(function: str, inputs: list[object], before: str = "") -> list[object]:
        program = tmp_path / "program.mjs"
        program.write_text(before + PROGRAM.replace("FUNCTION", function))
        own = outcomes(launcher, program, inputs)
        of_node = outcomes(launcher.parent / "engine", program, inputs)
        different = [
            (one, mine, theirs)
            for one, mine, theirs in zip(inputs, own, of_node, strict=True)
            if mine != theirs
        ]
        assert not different
        return own

    return equal


URLS = [
    *(
        "http://example.com",
        "HTTP://User:Pa%20ss@EXAMPLE.com:80/a/./b/../c?q=1#f",
        "https://a:8443",
    ),
    *(
        "http://a/b c?d e#f g",
        "http://a/?'\"<>`",
        "foo://a/?'\"<>`#`<",
        "http://a/\u00fc?\u00fc#\u00fc",
    ),
    *("http:\\\\a\\b\\c?\\d", "http:a", "http:///a", "http://", "http://a:", "http://a:65536"),
    *(
        "http://a:0",
        "http://a:x",
        "http://@",
        "http://u@a",
        "http://u:@a",
        "http://:p@a",
        "http://a@b@c",
    ),
    *("http://1.2.3.4", "http://1", "http://0x7f.1", "http://017.1.1.1", "http://256.1.1.1"),
    *(
        "http://1.2.3.4.5",
        "http://1.2.3.",
        "http://09.1",
        "http://0xg",
        "http://a.0x",
        "http://1.2.3.08",
    ),
    *("http://[::1]", "http://[1:2:3:4:5:6:7:8]", "http://[1:0:0:2:0:0:0:3]", "http://[::1.2.3.4]"),
    *(
        "http://[1::2::3]",
        "http://[::1",
        "http://[1:2]",
        "http://[::01.2.3.4]",
        "http://[1::8:0:0]",
    ),
    *(
        "http://a b",
        "http://a%20b",
        "http://a%2fb",
        "http://%61",
        "http://a^b",
        "http://a|b",
        "http://%zz",
    ),
    *(
        "mailto:a@b",
        "data:text/plain,a b#c d",
        "data:a  ",
        "javascript:alert(1) ",
        "foo:",
        "foo:/a/../b",
    ),
    *("http://M\u00dcnchen.de/", "http://\u2603.net", "http://xn--\u00fc", "http://a\u3002b"),
    *("foo://", "foo://a", "foo:///a", "foo:/..//a", "foo://A:1/", "foo://a b", "foo://a:b"),
    *(
        "file:///a/b",
        "file://host/a",
        "file://localhost/a",
        "file:a",
        "file:/a",
        "file://h:1/a",
        "file:///../a",
        "file:///C|/a/../..",
    ),
    *(
        "/a",
        "",
        "a:",
        "1:a",
        " \thttp://a/\n",
        "ht\ntp://a",
        "http://a/%2e%2E/b/%2e",
        "http://a/b/..",
        "http://a//b",
    ),
    *(
        "wss://a:443/b",
        "ws://a:443",
        "ftp://a:21",
        "http://a?b",
        "http://a#b",
        "http://a?#",
    ),
]
RELATIVE = [
    *(
        "",
        "x",
        "./x",
        "../x",
        "../../x",
        "../../../x",
        "/x",
        "//x",
        "///x",
        "?x",
        "#x",
        "x/.",
        "x/..",
    ),
    *(
        "http:x",
        "http:/x",
        "https:x",
        "file:x",
        "foo:x",
        "\\x",
        "\\\\x",
        "x?y#z",
        ".",
        "..",
        "./",
        "%2e%2e/x",
    ),
]
BASES = ["http://h/a/b?c#d", "file:///a/b", "foo://h/a/b", "foo:/a/b", "mailto:a", "http://h"]
PARTS = "const parts = (u) => [u.href, u.origin, u.protocol, u.username, u.password, u.host,"
PARTS += " u.hostname, u.port, u.pathname, u.search, u.hash];"


def test_urls_have_the_parts_that_node_sees(compare: Compare) -> None:
    given = compare("(input) => parts(new URL(input))", URLS, PARTS)
    assert given.count("throws TypeError") > 20
    assert "http://User:Pa%20ss@example.com/a/c?q=1#f" in str(given[1])


def test_relative_urls_are_resolved_as_node_does(compare: Compare) -> None:
    pairs = [[one, base] for base in BASES for one in RELATIVE]
    compare("([url, base]) => new URL(url, base).href", pairs)


def test_parts_of_a_url_are_set_as_node_does(compare: Compare) -> None:
    values = ["", "a", "/a/../b?c", "?a b", "#a b", "a:b", "8080", "80", "[::1]", "\u00fc'"]
    values += ["ws:", "foo:", "[::2]:9", "\u00fc.de", "http://b/?c", "http://"]
    names = ["hash", "search", "pathname", "username", "password"]
    names += ["href", "protocol", "host", "hostname", "port", "origin"]
    settings = [[name, value] for name in names for value in values]
    compare(
        "([name, value]) => { const url = new URL('http://u:p@h:81/x?y#z');"
        " const parameters = url.searchParams;"
        " try { url[name] = value; } catch (error) { return [error.name, url.href]; }"
        " return [url.href, ...parameters, parameters === url.searchParams]; }",
        settings,
    )


def test_parameters_are_read_and_written_as_node_does(compare: Compare) -> None:
    queries = ["a=1&b=2&a=3", "?a=%20+%zz%ff&=&b", "\u00fc=%C3%BC&a=~!'()*-._", "a=b=c&&d", ""]
    made = (
        "const made = (q) => { const p = new URLSearchParams(q); p.append('n', 'x y');"
        " p.set('a', 5); p.delete('b', '2'); p.sort(); return p; };"
    )
    compare(
        "(q) => [String(new URLSearchParams(q)), [...new URLSearchParams(q)], String(made(q)),"
        " made(q).getAll('a'), made(q).size, made(q).get('none'), made(q).has('a', '5')]",
        queries,
        made,
    )
    numbers = "const p = new URLSearchParams('1=2&1=3'); const all = () => String(p);"
    compare(
        "(name) => [p.get(name), p.getAll(name), p.has(name), p.has(name, 3), p.has(name, 4),"
        " (p.set(name, 5), all()), (p.append(name, 6), all()), (p.delete(name, 6), all()),"
        " (p.delete(name), all())]",
        [1, None, True],
        numbers,
    )
    compare(
        "(q) => { const url = new URL('http://a/?x=1#f'); url.searchParams.append('q', q);"
        " url.searchParams.delete('x'); return url.href; }",
        ["", "a b", "&"],
    )


def test_buffers_are_encoded_as_node_does(compare: Compare) -> None:
    texts = ["", "abc", "h\u00fc\u20ac\U0001f600", "ff00zz", "YWJj", "YW-_", "YWI=", "\ud800"]
    encodings = ["utf8", "utf-8", "latin1", "binary", "ascii", "hex"]
    pairs = [[text, encoding] for text in texts for encoding in encodings]
    base64 = ["", "YWJj", "YWI=", "Y W\nI=", "eyJuIjoiw7_DvyJ9", "-_+/", "YQ", "YQ=", "YR=="]
    base64 += ["Y", "YWJjZ", "YQ==YQ==", "YW=Jj", "=YQ==", "YW.Jj\u00e9ZA==", "===="]
    pairs += [[text, "base64"] for text in base64]
    compare(
        "([text, encoding]) => { const made = Buffer.from(text, encoding);"
        " return [[...made], made.toString(encoding), made.toString('latin1', 1, 3),"
        " Buffer.byteLength(text, 'latin1'), Buffer.byteLength(text), JSON.stringify(made)]; }",
        pairs,
    )
    compare(
        "(n) => { const all = Buffer.concat([Buffer.from('abc'), Buffer.alloc(n, 7)], n + 2);"
        " const part = all.slice(1); part[0] = 1; part.write('xyz', 1);"
        " return [...all, all.equals(Buffer.from(all)), Buffer.isBuffer(part)]; }",
        [0, 1, 5],
    )
    compare("(value) => Buffer.alloc(4).write(value)", ["a", 5, None, {}, ["a"]])
    compare(
        "(given) => { const bytes = Buffer.from('abcabcab'); return ["
        "bytes.indexOf(given), bytes.indexOf(given, 1), bytes.indexOf(given, -4),"
        " bytes.includes(given, 6), ...Buffer.alloc(5, given), ...bytes.fill(given, 1, 7)]; }",
        ["a", "bc", "abcd", "h\u00fc", 98, 0],
    )
    compare(
        "(hex) => [...Buffer.alloc(5, hex, 'hex'), ...Buffer.alloc(5).fill(hex, 'hex')]",
        ["01ff", "a0"],
    )


def test_paths_are_taken_apart_as_node_does(compare: Compare) -> None:
    paths = [
        "",
        "/",
        "a",
        "a/",
        "/a/b.c",
        "a//b/../c",
        "../a/..",
        "/..",
        ".x",
        "a.b.",
        "//a//",
        "./a",
    ]
    compare(
        "(p) => [path.normalize(p), path.dirname(p), path.basename(p),"
        " path.basename(p, '.c'), path.extname(p), path.isAbsolute(p),"
        " path.join('x', p, '..', 'y'),"
        " path.join(p), path.resolve('/r', p), path.resolve(p)]",
        paths,
        "import path from 'node:path';",
    )


def test_files_have_the_urls_that_node_gives_them(compare: Compare) -> None:
    paths = ["/a/b", "/a/", "a/", "/", "", "../a", *(f"/x{chr(code)}y" for code in range(1, 128))]
    compare("(p) => url.pathToFileURL(p).href", [*paths, "/\u00fc"], "import url from 'node:url';")
    urls = ["file:///a%20b/", "file://localhost/a", "file://host/a", "file:///a%2Fb", "file:a"]
    urls += ["http://localhost/a", "file:///%zz", "/a", "file:///"]
    compare("(u) => url.fileURLToPath(u)", urls, "import url from 'node:url';")
    compare("(u) => fs.existsSync(new URL(u))", urls, "import fs from 'node:fs';")


def test_files_are_read_and_refused_as_node_does(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789\xff")
    (tmp_path / "folder").mkdir()
    (tmp_path / "lost").symlink_to("nowhere")
    files = ("file", "folder", "lost", "file/x", "none", "file\0.html")
    names = [str(tmp_path / name) for name in files]
    compare(
        "(name) => [code(() => fs.readFileSync(name).toString('latin1')),"
        " code(() => fs.readFileSync(name, 'latin1')), code(() => fs.statSync(name).isFile()),"
        " code(() => fs.statSync(name).isDirectory()), fs.existsSync(name),"
        " code(() => fs.readdirSync(name)), code(() => fs.openSync(name, 'r') > 2),"
        " code(() => { const bytes = Buffer.alloc(8); const file = fs.openSync(name);"
        " const counts = [fs.readSync(file, bytes, 2, 3), fs.readSync(file, bytes, 5, 2, 9),"
        " fs.readSync(file, bytes, 0, 1), fs.readFileSync(file, 'latin1')];"
        " fs.closeSync(file); return [counts, ...bytes]; })]",
        names,
        "import fs from 'node:fs';"
        "const code = (f) => { try { return f(); } catch (error) { return error.code; } };",
    )


def test_options_of_a_folder_are_refused(run: Run) -> None:
    done = run(
        "import { readdirSync } from 'node:fs';\n"
        "try { readdirSync('.', { recursive: true }); } catch ({ name }) { console.log(name); }"
    )
    assert done.stdout == "RangeError\n"


def test_a_file_that_is_made_has_its_mode(run: Run, tmp_path: Path) -> None:
    done = run(
        "import { closeSync, openSync, writeFileSync } from 'node:fs';\n"
        "writeFileSync('a', '', { mode: 0o600 });\n"
        "closeSync(openSync('b', 'w', '400'));\n"
        "writeFileSync('c', '', { mode: null });\n"
        "try { openSync('d', 'w', 'rw'); } catch ({ message }) { console.log(message); }"
    )
    assert (done.stdout, done.stderr) == ("there is no mode 'rw'\n", "")
    modes = [(tmp_path / name).stat().st_mode & 0o7777 for name in "abc"]
    usual = tmp_path / "usual"
    usual.touch()
    assert modes == [0o600, 0o400, usual.stat().st_mode & 0o7777]


def test_digests_and_signatures_are_those_of_node(compare: Compare) -> None:
    hashes = ["SHA-1", "sha-256", "SHA-384", "SHA-512"]
    texts = ["", "abc", "x" * 1000]
    given = compare(
        "async ([hash, text]) => {"
        " const bytes = new TextEncoder().encode(text);"
        " const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'),"
        " { name: 'HMAC', hash }, true, ['sign', 'verify']);"
        " const signature = await crypto.subtle.sign('HMAC', key, bytes);"
        " const wrong = new Uint8Array(signature.slice()); wrong[0] ^= 1;"
        " return [[...new Uint8Array(await crypto.subtle.digest(hash, bytes))],"
        " [...new Uint8Array(signature)], key.algorithm.hash.name,"
        " [...new Uint8Array(await crypto.subtle.exportKey('raw', key))],"
        " await crypto.subtle.verify('HMAC', key, signature, bytes),"
        " await crypto.subtle.verify('HMAC', key, wrong, bytes),"
        " await crypto.subtle.verify('HMAC', key, signature.slice(1), bytes)]; }",
        [[one, text] for one in hashes for text in texts],
    )
    assert all(str(one).endswith("True, False, False]") for one in given)


def test_text_is_decoded_as_node_does(compare: Compare) -> None:
    contents = [[104, 105], [0xEF, 0xBB, 0xBF, 104], [0xFF, 104], [0xEF, 0xBF, 0xBD], [0xC3], []]
    compare(
        "([bytes, fatal]) => { const view = new Uint8Array([0, ...bytes]).subarray(1);"
        " const into = new Uint8Array(3);"
        " const text = new TextDecoder('utf-8', { fatal }).decode(view);"
        " return [text, new TextDecoder('utf8', { ignoreBOM: true }).decode(view),"
        " new TextEncoder().encodeInto(`a${text}`, into), [...into]]; }",
        [[content, fatal] for content in contents for fatal in (True, False)],
    )


def test_headers_are_those_of_node(compare: Compare) -> None:
    compare(
        "(pairs) => { const all = new Headers(pairs); all.append('X-A', ' 2\\t');"
        " all.delete('gone'); return [[...all], all.get('x-a'), all.get('none'), all.has('X-a'),"
        " all.getSetCookie()]; }",
        [
            [],
            [["b", "1"], ["A", "x"], ["x-A", "1"], ["Gone", "1"]],
            [["Set-Cookie", "a=1, b"], ["a", "1"], ["set-cookie", "c"]],
            [["a b", "1"]],
            [["a", "b\nc"]],
        ],
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import { watch } from 'node:fs';", "does not provide an export named 'watch'"),
        ("import 'node:http';", "cannot find module 'node:http'"),
        (
            "import { Worker } from 'worker_threads'; new Worker('0', { eval: true });",
            "a worker must run a file",
        ),
        ("Buffer.from('a', 'utf16le');", "no encoding 'utf16le'"),
    ],
)
def test_what_is_not_here_is_said(source: str, said: str, sparrow: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.js"
    program.write_text(source)
    done = subprocess.run([sparrow, program], capture_output=True, text=True, check=False)
    assert said in done.stderr
    assert done.returncode in (1, 2)
