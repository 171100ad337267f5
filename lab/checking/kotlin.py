"""Steps for Kotlin. Kotlin's compiler takes seconds to start, so everything is compiled at once."""

from __future__ import annotations

import os
from collections.abc import Iterator

from checking.harnesses import vectors
from checking.sources import sources
from checking.step import Step, Words, command
from checking.toolchain import Toolchain, shared_tool, toolchain
from runfair.installing.offer import offer_of
from runfair.installing.registry import runtimes_folder
from runfair.paths import BENCHMARKS, private_folder


def format_kotlin(write: bool) -> Step:
    offer = offer_of("ktfmt")
    program = runtimes_folder() / offer.name / offer.program
    here = program if program.is_file() else None
    ktfmt = Toolchain("ktfmt", here, "./runfair install ktfmt", dict(os.environ))
    mode = ["--quiet"] if write else ["--dry-run", "--set-exit-if-changed"]
    words: Words = [ktfmt.path, "--kotlinlang-style", *mode, *sources("*.kt", root=BENCHMARKS)]
    return command("format Kotlin", words, needs=ktfmt)


def kotlin() -> Iterator[Step]:
    """Steps that compile Kotlin's harness and programs without a warning, and test the vectors."""
    kotlinc = shared_tool("kotlinc")
    product = private_folder() / "check" / "kotlin.jar"
    strict = ["-jvm-target", "17", "-Xjdk-release=17", "-Wextra", "-Werror"]
    # The library that comes with the compiler; programs are built with the version that their suite
    # pins.
    coroutines = kotlinc.path.resolve().parents[1] / "lib" / "kotlinx-coroutines-core-jvm.jar"
    whole: Words = ["-no-reflect", "-include-runtime", "-cp", coroutines, "-d", product]
    words: Words = [kotlinc.path, *strict, *whole, *sources("*.kt", root=BENCHMARKS)]
    name = "lint Kotlin, and build its vectors"
    yield command(name, words, needs=kotlinc, environment={"JAVA_OPTS": "-XX:TieredStopAtLevel=1"})
    java = toolchain("kotlin-jvm")
    yield vectors("vectors of Kotlin", [java.path, "-cp", product, "runfair.VectorsKt"], needs=java)
