"""A C function that calls Python for its first item, and then works long without it."""


class Key:
    """Compared in Python; the numbers after it are compared in C."""

    def __eq__(self, other):
        return False


ITEMS = [Key(), *[0] * 3_000_000]


def search():
    return ITEMS.count(1)  # calls


for _ in range(10):
    search()
