"""Functions that are recorded once."""
