"""Random choices inside kernels, drawn from the generator that a unit of work is given."""

from __future__ import annotations

from typing import no_type_check

from erm.rulebook.kernel import kernel


@kernel
@no_type_check
def below(rng, n):
    """A random integer from 0 to n - 1."""
    return int(rng.random() * n)


@kernel
@no_type_check
def shuffle(rng, values):
    for i in range(len(values) - 1, 0, -1):
        j = below(rng, i + 1)
        values[i], values[j] = values[j], values[i]
