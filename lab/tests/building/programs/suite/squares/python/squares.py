import sys

from harness.python.harness import squares

print(squares(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
