"""The rows of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

from ._pandas import import_pandas

if TYPE_CHECKING:
    import pandas


class Rows(List[Dict[str, Any]]):
    """A dict for each row of a report as JSON; None where there is no value."""

    def to_pandas(self) -> "pandas.DataFrame":
        """A data frame: texts as categoricals, integers that are absent in some rows as nullable
        integers, what is absent in all rows as NaN."""
        pandas = import_pandas()
        frame = pandas.DataFrame(list(self))
        for name in frame.columns:
            values = [row.get(name) for row in self]
            kinds = {type(value) for value in values if value is not None}
            if kinds == {str}:
                frame[name] = frame[name].astype("category")
            elif kinds == {int} and None in values:
                # Not from the frame's floats, which have 53 bits.
                unsigned = any(value is not None and value >= 2**63 for value in values)
                frame[name] = pandas.array(values, dtype="UInt64" if unsigned else "Int64")
            elif not kinds:
                frame[name] = frame[name].astype("float64")
        return frame
