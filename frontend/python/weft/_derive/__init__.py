"""Derivatives of functions of arrays."""
