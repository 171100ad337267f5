"""The ways in which a command ends other than well, and their exit statuses.

    RunfairError
    ├── UserMistake       exit 2: one line that says what to do
    ├── InvalidResult     exit 3: measured, kept and labelled, but a question has no answer
    └── GateNotMet        exit 4: a requirement or regression gate is not met

Anything else is a bug: it keeps its traceback and exits with 1.
"""


class RunfairError(Exception):
    """A failure whose message is for the user: one line, no traceback."""

    exit_status = 1


class UserMistake(RunfairError):
    """Something the user asked for cannot be done as asked; the message says what to do."""

    exit_status = 2


class InvalidResult(RunfairError):
    """Everything was measured and kept, but a question that was asked has no answer."""

    exit_status = 3


class GateNotMet(RunfairError):
    """A requirement or regression gate of the user's own was not met."""

    exit_status = 4
