"""Intervals as a masked array of a structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

import numpy as np

from ._pandas import import_pandas

if TYPE_CHECKING:
    import pandas


class Intervals(np.ma.MaskedArray):
    """A row for each interval, a field for each column.

    `intervals["elapsed_ns"]` is a column, `intervals[3]` a row. Fields of texts hold codes (see
    `labels`); what is absent is masked. Slices and selections keep all of this.
    """

    def __new__(
        cls,
        data: np.ndarray,
        mask: Any = np.ma.nomask,
        labels: Optional[np.ndarray] = None,
        texts: Optional[List[str]] = None,
        **options: Any,
    ) -> "Intervals":
        made = super().__new__(cls, data, mask=mask, **options)
        # Attributes that numpy.ma hands on to views and selections.
        if labels is not None:
            made._optinfo["labels"] = labels
        if texts is not None:
            made._optinfo["texts"] = frozenset(texts)
        return made

    @property
    def labels(self) -> np.ndarray:
        """The texts by code, of all columns of texts."""
        return self._optinfo["labels"]

    def text(self, column: str) -> np.ndarray:
        """The texts of a column as an array of str; None where there is none."""
        if column not in self._optinfo["texts"]:
            raise KeyError("%s is no column of texts" % column)
        codes = np.asarray(self[column].data)
        # The code of nothing, -1, is the last one.
        return np.append(self.labels, [None])[codes]

    def to_pandas(self) -> "pandas.DataFrame":
        """A data frame: texts as categoricals, integers that are absent in some rows as nullable
        integers."""
        pandas = import_pandas()
        columns = {}
        for name in self.dtype.names:
            values = np.ascontiguousarray(self[name].data)
            absent = np.ma.getmaskarray(self[name])
            if name in self._optinfo["texts"]:
                codes, inverse = np.unique(values, return_inverse=True)
                has_none = int(len(codes) > 0 and codes[0] < 0)
                columns[name] = pandas.Categorical.from_codes(
                    inverse - has_none, self.labels[codes[has_none:]]
                )
            elif values.dtype.kind in "iu" and absent.any():
                columns[name] = pandas.arrays.IntegerArray(values, np.array(absent))
            else:
                columns[name] = values
        return pandas.DataFrame(columns)
