"""What numpy.lib has that Weft has too: stride_tricks."""

from weft import stride_tricks

__all__ = ["stride_tricks"]
