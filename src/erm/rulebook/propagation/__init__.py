"""Compiled propagation: rules as flat arrays, and kernels that run them to rest.

A rule tells what it asks in `parts` (parts.py). `program.py` lays the parts of one puzzle out as
flat arrays; `engine.py` runs them on domains whose cells are bit masks, looking again only at
the scopes of cells that have changed. The door for everybody else is `erm.rulebook.propagate`.
"""
