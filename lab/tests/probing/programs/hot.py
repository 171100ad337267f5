"""Nearly all time goes into one multiplication."""

FACTOR = 3**4_000


def multiply(times):
    result = 0
    for _ in range(times):
        result = FACTOR * FACTOR  # hot
    return result


multiply(20_000)
