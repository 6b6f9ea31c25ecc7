"""Boards as text: what every puzzle's drawing is made of."""
