# SPDX-License-Identifier: Apache-2.0
"""From a story that goes wrong to a short one that still does."""


def shrink(steps, is_wrong):
    """A list of indices of `steps` of which none can be left out. `is_wrong(indices)`: that story
    goes wrong, too."""
    kept = list(range(len(steps)))
    size = max(1, len(kept) // 2)
    while True:
        place, smaller = 0, False
        while place < len(kept):
            fewer = kept[:place] + kept[place + size :]
            if is_wrong(fewer):
                kept, smaller = fewer, True
            else:
                place += size
        if size == 1 and not smaller:
            return kept
        size = max(1, size // 2)
