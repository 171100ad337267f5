"""File formats: the files and messages of runfair as typed records. The JSON Schemas in `schemas/`
are generated from these classes. Times are integer nanoseconds, names contain units, and every file
has a version."""
