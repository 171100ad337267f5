"""Tests of connections to a name that has several addresses."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NAMED = ["127.0.0.1", "127.0.0.2"]
PROGRAM = """
import { connect, listen } from 'sparrow:tcp';
const { port, close } = listen({ host: process.argv[2] }, (one) => one.close());
const connection = await connect('several', port);
connection.close();
close();
await connect('several', port).catch((error) => console.log(error.code));
await connect('nowhere.invalid', port).catch((error) => console.log(error.message));
"""


@pytest.mark.parametrize("address", NAMED)
def test_an_address_that_refuses_is_followed_by_the_next(
    address: str, sparrow: Path, tmp_path: Path
) -> None:
    """Whichever of the addresses the system gives first."""
    if os.geteuid() or shutil.which("unshare") is None:
        pytest.skip("other host names need root and unshare")
    (tmp_path / "hosts").write_text("".join(f"{one} several\n" for one in NAMED))
    (tmp_path / "program.js").write_text(PROGRAM)
    named = ["unshare", "--mount", "sh", "-c", 'mount --bind hosts /etc/hosts && exec "$@"', "sh"]
    done = subprocess.run(
        [*named, sparrow, "program.js", address],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "unshare failed" in done.stderr or "mount:" in done.stderr:
        pytest.skip("this kernel has no mount namespaces")
    assert done.stderr == ""
    code, message = done.stdout.splitlines()
    assert code == "ECONNREFUSED"
    assert message.startswith("nowhere.invalid cannot be reached: ")
