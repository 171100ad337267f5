"""Loads the probe into a CPython, and then runs the sitecustomize module that it replaces.

This module runs before the program, in every Python if its folder is on PYTHONPATH.
"""

import _thread
import os
import sys


def in_main_interpreter():
    """Before CPython 3.12 nothing tells, and the library finds that the process is probed."""
    ask = getattr(_thread, "_is_main_interpreter", None)
    return ask is None or ask()


def enter():
    folder = os.environ.get("RUNFAIR_PROBE_FOLDER")
    # A sub-interpreter has the dispatch table of its process, and may not be allowed to use ctypes.
    if not folder or not in_main_interpreter():
        return
    from runfair_probe.refusal import Refused, refuse  # noqa: PLC0415

    try:
        if sys.implementation.name != "cpython" or sys.version_info < (3, 10):
            raise Refused("not supported: the probe knows CPython from 3.10 on")
        try:
            import ctypes  # noqa: F401, PLC0415
        except ImportError as error:
            raise Refused(f"the probe needs Python's module ctypes: {error}") from None
        from runfair_probe.session import Session  # noqa: PLC0415

        Session(folder).begin()
    except Refused as refused:
        refuse(folder, str(refused))


def run_the_others():
    """Imports the sitecustomize module that would have been imported if this folder were not first
    on the path."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != own]
    this = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        if this is not None:
            sys.modules.setdefault("sitecustomize", this)


enter()
run_the_others()
