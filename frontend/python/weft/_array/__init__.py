"""The functions that Weft computes: it imports _base alone."""
