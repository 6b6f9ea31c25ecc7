"""What is printed on a maze's cells, in the field's tokens."""

WALL, OPEN, START, GOAL = 1, 2, 3, 4
PATH = 5
"""The token by which an answer writes a path cell."""
