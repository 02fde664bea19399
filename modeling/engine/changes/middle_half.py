"""The mean of the middle half of a point's repetitions, which one bad repetition does not move."""

import numpy as np

from modeling.engine.changes.locations import Located
from modeling.engine.validation import FloatArray, IntArray


def mean_of_middle_half(ascending: FloatArray) -> tuple[Located, FloatArray]:
    """Return the mean of the middle half of sorted repetitions, which one bad repetition does not move.

    The variance is that for uniform noise. The second result is that of `_relative_error`.
    """
    count = (~np.isnan(ascending)).sum(axis=2)
    cut, share = middle_half(ascending.shape[2])
    first, last = cut[count], count - cut[count]
    rank = np.arange(ascending.shape[2])
    kept = (rank >= first[:, :, None]) & (rank < last[:, :, None])
    total = np.where(kept, ascending, 0.0).sum(axis=2)
    location = np.where(count > 0, total / np.maximum(last - first, 1), np.nan)
    logs = np.log(np.where(ascending > 0, ascending, np.nan))
    known = ~np.isnan(logs)
    shown = known.sum(axis=2)
    centre = np.where(known, logs, 0.0).sum(axis=2) / np.maximum(shown, 1)
    squares = (np.where(known, logs - centre[:, :, None], 0.0) ** 2).sum(axis=2)
    found = Located(location, share[count], squares, np.maximum(shown - 1.0, 0.0))
    ends = (np.take_along_axis(logs, np.maximum(each, 0)[:, :, None], axis=2) for each in (last - 1, first))
    middle = np.subtract(*ends)[:, :, 0]
    return found, _relative_error(middle, np.where(shown == count, count, 0), found)


def _relative_error(middle: FloatArray, count: IntArray, located: Located) -> FloatArray:
    """Return the standard deviations of the middle half's means, relative to those under uniform noise.

    Rare large repetitions add to the variance of all repetitions, but hardly to that of this mean. It varies
    like the range of the middle half. With k of n uniform values in it, this range is (k − 1) / (n + 1) of
    the whole width on average. The range of few values is uncertain. So the mean is assumed to have the
    variance f / (f − 2) of Student's t distribution, with f = 2 (k − 1) for two campaigns.

    Args:
        middle: (K, C) ranges of the logarithms of the middle half.
        count: (K, C) numbers of repetitions, 0 if one is not positive.
        located: the means of the middle half.

    Returns:
        (K, C) ratios, NaN if there are too few repetitions.
    """
    kept = count - 2 * middle_half(int(count.max(initial=0)))[0][count]
    usable = (kept > 2) & (located.squares > 0)
    width = np.sqrt(12 * located.squares / np.maximum(located.freedom, 1.0))
    freedom = np.where(usable, 2.0 * (kept - 1), 4.0)
    expected = np.where(usable, width * (kept - 1) / (count + 1), 1.0)
    return np.where(usable, middle / expected * np.sqrt(freedom / (freedom - 2)), np.nan)


def middle_half(most: int) -> tuple[IntArray, FloatArray]:
    """Return two properties of the mean of the middle half, for 0 to `most` repetitions, (most + 1,) each.

    The first is the number of repetitions that are left out at either end. The second is the variance of the
    mean relative to that of one repetition, for uniform noise.

    Order statistics i ≤ j of n uniform values have the covariance i (n + 1 − j) / ((n + 1)² (n + 2)) (David
    and Nagaraja 2003, Order Statistics, section 2.2). The variance of a mean of k values is the mean of these
    covariances over all k² pairs. For the middle ranks from `first` on, Σ min(i, j) = k²·first +
    (k − 1) k (2k − 1) / 6 and Σ i·j = (k (n + 1) / 2)². A single repetition has the variance 1/12.
    """
    count = np.arange(most + 1)
    cut = np.maximum((count - 1) // 4, np.where(count > 2, 1, 0)).clip(0)
    k = np.maximum(count - 2 * cut, 1)
    first, ends = cut + 1, count + 1
    variance = 12 * (first + (k - 1) * (2 * k - 1) / (6 * k) - ends / 4) / (ends * (ends + 1))
    return cut, np.where(count > 0, variance, 0.0)
