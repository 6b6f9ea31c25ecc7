"""`erm reproduce`: every table and figure of the paper with our own models, and some beyond it."""
