def squares(count: int) -> int:
    return sum(i * i for i in range(1, count + 1))
