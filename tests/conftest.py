"""Shapes and types of annotated functions are checked while tests run, and only then."""

from jaxtyping import install_import_hook

install_import_hook(
    ["erm.types", "erm.grid", "erm.energy", "erm.task", "erm.tasks"], "beartype.beartype"
)
