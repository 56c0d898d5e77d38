"""The rows of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

from ._pandas import import_pandas

if TYPE_CHECKING:
    import pandas


class Rows(List[Dict[str, Any]]):
    """A dict for each row of a report as JSON; None where there is no value."""

    def to_pandas(self) -> "pandas.DataFrame":
        """A data frame: texts as categoricals."""
        pandas = import_pandas()
        frame = pandas.DataFrame(list(self))
        for name in frame.columns:
            if all(isinstance(row.get(name), (str, type(None))) for row in self):
                frame[name] = frame[name].astype("category")
        return frame
