"""What numpy.lib has that Weft has too: stride_tricks."""

from weft.lib import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
