"""The parts of the report, one noun a file."""
