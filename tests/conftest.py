"""Shapes and types of annotated functions are checked while tests run, and only then."""

import sys

import pytest
from hypothesis import settings
from jaxtyping import config, install_import_hook

install_import_hook("erm", "typecheck.checked")


@pytest.fixture
def unchecked():
    """For tests of compiled networks, as torch.compile cannot see through the checker, and of what
    is said to callers whose types are wrong, where the checker would speak first."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True)
def known_tasks():
    """What a test registers or includes is forgotten behind it: all known tasks read texts."""
    from erm.rulebook import registry

    before = dict(registry._registry), dict(registry._included)
    yield
    for known, kept in zip((registry._registry, registry._included), before, strict=True):
        known.clear()
        known.update(kept)
    registry.task_of.cache_clear()
    for name in list(sys.modules):
        if name.startswith("erm_include_") and name.partition(".")[0] not in before[1].values():
            del sys.modules[name]


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
