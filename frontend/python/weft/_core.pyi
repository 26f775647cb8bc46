"""What type checkers are told of the extension: its classes are those of the package."""

from typing import Any

from weft import Array as Array
from weft import Error as Error
from weft import InternalError as InternalError
from weft import OutOfMemory as OutOfMemory

def __getattr__(name: str) -> Any: ...
