"""The part of the CPython adapter that runs inside the probed process."""
