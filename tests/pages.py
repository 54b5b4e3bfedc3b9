"""Where the built book is, and what its pictures are like."""

import math
import re
from pathlib import Path

from longfat import paths

HTML = paths.DATA.parent / "build" / "book" / "_build" / "html"


def letters_px(path: Path, width_px: float) -> float:
    """Return the size of a picture's smallest letters where it is shown so wide.

    Matplotlib writes a text as outlines of letters that are 100 units large, and an index as some
    that are scaled again.
    """
    picture = path.read_text("utf-8")
    box = re.search(r'viewBox="0 0 ([\d.]+) ', picture)
    _, *texts = re.split(r"scale\(([\d.]+) -[\d.]+\)", picture)
    sizes = [
        100
        * float(size)
        * min([1.0, *map(float, re.findall(r"<use [^>]*scale\(([\d.]+)\)", rest))])
        for size, rest in zip(texts[::2], texts[1::2], strict=True)
    ]
    return min(sizes, default=math.inf) * width_px / float(box[1])
