"""Errors of functions that are made of others, under the name that the caller used."""

from __future__ import annotations


def named(error: Exception, op: str) -> Exception:
    """The error as one of `op`."""
    _, colon, text = str(error).partition(": ")
    return type(error)(f"{op}: {text}") if colon else error
