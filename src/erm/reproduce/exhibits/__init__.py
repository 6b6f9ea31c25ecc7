"""The tables and figures of the report, those that belong together in one file."""
