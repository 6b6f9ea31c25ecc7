"""Shapes and types of annotated functions are checked while tests run, and only then."""

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook(
    ["erm.types", "erm.grid", "erm.drawing", "erm.rulebook", "erm.puzzles"], "typecheck.checked"
)


@pytest.fixture(scope="session")
def tiny_reasoner():
    """A 4x4 Sudoku reasoner, trained for seconds: good enough to be wrong in interesting ways."""
    import tiny

    return tiny.train()


@pytest.fixture(scope="session")
def tiny_checkpoint(tiny_reasoner, tmp_path_factory):
    """The same as a checkpoint folder."""
    import tiny

    return tiny.save(tmp_path_factory.mktemp("checkpoint") / "tiny", tiny_reasoner)


# A slow machine is no failure; how fast things are is shown by benchmarks/.
settings.register_profile("erm", deadline=None)
settings.load_profile("erm")
