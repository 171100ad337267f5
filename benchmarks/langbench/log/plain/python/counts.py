"""The benchmark's counters."""


class Counts:
    def __init__(self) -> None:
        self.lines = 0
        self.tokens = 0
        self.numbers = 0
        self.references = 0
        self.log_types = 0
        self.variables = 0
        self.scanned = 0
        self.candidates = 0
        self.matches = 0


counts = Counts()
