"""The files and messages that cross a boundary, as typed records; their JSON Schemas are made
from these classes (`schemas/`). Integer nanoseconds, units in names, a version in every file."""
