"""vectorize(): Python functions of numbers as functions of arrays, read from their source and compiled."""
