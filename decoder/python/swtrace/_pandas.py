"""pandas, which only data frames need."""

from __future__ import annotations

from typing import Any


def import_pandas() -> Any:
    """The module. Raises ModuleNotFoundError, which tells how to install it."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise ModuleNotFoundError(
            "to_pandas() needs pandas: install python3-pandas, or swtrace[pandas] by pip", name=error.name
        ) from None
    return pandas
