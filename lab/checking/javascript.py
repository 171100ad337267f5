"""Tools of npm: Biome, which formats and lints JavaScript, and the TypeScript compiler, which
checks type declarations. Both are installed by a lock file, in the private folder.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from checking.sources import sources
from checking.step import Counted, Output, Skipped, Step, command
from checking.toolchain import toolchain
from runfair.building.build_folder import locked
from runfair.building.checksum import sha256_of_files
from runfair.paths import BENCHMARKS, REPOSITORY, private_folder

TYPED_PROGRAM = REPOSITORY / "platforms" / "sparrow" / "tests" / "types"
LOCK = ("package.json", "package-lock.json")
# By default npm retries for a minute before it reports that there is no network.
QUICKLY = ("--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")


def biome(name: str, *words: str) -> Step:
    """A step that runs a Biome command on all JavaScript."""
    config = f"--config-path={BENCHMARKS}"
    return _tool(name, "@biomejs/biome/bin/biome", *words, config, *sources("*.js"))


def declarations() -> Step:
    """A step that compiles a program with sparrow's type declarations."""
    return _tool("types of sparrow", "typescript/bin/tsc", "--project", str(TYPED_PROGRAM))


def _tool(name: str, script: str, *words: str | Path) -> Step:
    """A step that runs a script of an npm package with Node. If the lock file changed, `npm ci`
    installs the packages first.
    """
    node = toolchain("node")
    npm = node.part("npm", "apt-get install npm")
    lock = [BENCHMARKS / file for file in LOCK]
    folder = private_folder() / "check" / "npm" / sha256_of_files(lock, BENCHMARKS)[:16]
    installed = folder / "installed"

    def run(output: Output) -> Counted:
        if npm.executable is None:
            return Counted(skipped=(Skipped(name, npm.missing),))
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            if not installed.exists():
                for file in lock:
                    shutil.copy(file, folder)
                done = subprocess.run(
                    [npm.path, "ci", "--no-audit", "--no-fund", "--ignore-scripts", *QUICKLY],
                    cwd=folder,
                    env=npm.environment | {"npm_config_cache": str(private_folder() / "npm")},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=output,
                    check=False,
                )
                if done.returncode != 0:
                    advice = "is a package registry reachable?"
                    print(
                        f"{name}: npm could not install its packages; {advice}",
                        file=output,
                        flush=True,
                    )
                    return Counted(failed=1)
                # The mark is written last, so that an interrupted installation is started again.
                installed.touch()
        path = folder / "node_modules" / script
        return command(name, [node.path, path, *words], needs=node, directory=BENCHMARKS).run(
            output
        )

    return Step(name, run)
