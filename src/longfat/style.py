"""What things look like on every page: a colour and a marker for each algorithm and each engine.

Colours are told apart by the colour-blind too (Okabe and Ito's, and Tol's "muted" for engines and
for what no chapter is about); markers tell what colours do not.
"""

import csv
import functools
import math
import re
from typing import Any

from longfat import paths

MODEL: dict[str, Any] = {"color": "black"}
PAPER: dict[str, Any] = {"color": "0.55", "marker": "D"}

# By the engine's name. The legends' names of them are in `ENGINE_LABEL`.
ENGINE_STYLE: dict[str, dict[str, Any]] = {
    "segment": {"color": "#332288", "marker": "o"},
    "ns3": {"color": "#44aa99", "marker": "s"},
    "linux": {"color": "#882255", "marker": "^"},
    "ns2": {"color": "#b8860b", "marker": "D"},
}
ENGINE_LABEL = {
    "segment": "segment engine",
    "ns3": "ns-3",
    "linux": "Linux",
    "ns2": "ns-2",
}

_BLUE, _ORANGE, _GREEN, _RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
_PINK, _SKY = "#cc79a7", "#56b4e9"
_OLIVE, _ROSE, _CYAN, _PURPLE = "#999933", "#cc6677", "#88ccee", "#aa4499"

# Standard TCP is a blue circle, what a chapter's paper proposes vermilion, on every page.
_OWN = {
    "newreno": (_BLUE, "o"),
    "reno": (_BLUE, "."),
    "standard": (_BLUE, "8"),
    "gaimd": (_BLUE, "1"),
    "hybla": (_RED, "P"),
    "tcpj": (_RED, "*"),
    "ucc": (_RED, "X"),
    "highspeed": (_ORANGE, "s"),
    "highspeed-ns3": (_ORANGE, "H"),
    "scalable": (_GREEN, "^"),
    "scalable-ns3": (_GREEN, "2"),
    "fast": (_PINK, ">"),
    "westwood": (_GREEN, "p"),
    "westwood-plus": (_OLIVE, "<"),
    "cubic": (_SKY, "s"),
    "bbr": (_PURPLE, "h"),
    "bbr3": (_PURPLE, "H"),
    "chd": (_GREEN, "v"),
    "hd": (_ORANGE, "d"),
    "compound": (_PINK, "D"),
    "htcp": (_OLIVE, "^"),
    "bic": (_ROSE, "v"),
    "illinois": (_ROSE, "s"),
    "ledbat": (_CYAN, "v"),
    "lp": (_CYAN, "o"),
    "vegas": (_PINK, "o"),
    "veno": (_OLIVE, "o"),
    "yeah": (_ROSE, "P"),
    "cdg-linux": (_GREEN, "3"),
    "cdg": (_GREEN, "4"),
    "africa": (_ORANGE, "p"),
    "card": (_OLIVE, "s"),
    "dual": (_CYAN, "^"),
    "pert": (_PURPLE, "v"),
    "probing": (_ROSE, "d"),
    "cherry": (_PURPLE, "D"),
    "peach": (_ORANGE, "o"),
    "hybla-2004": (_OLIVE, "P"),
    "hd-freebsd": (_ORANGE, "D"),
    "chd-freebsd": (_ORANGE, "X"),
    "xcp": (_RED, "o"),
    "cadpc": (_OLIVE, "X"),
}
ALGORITHM_STYLE: dict[str, dict[str, Any]] = {
    name: {"color": color, "marker": marker} for name, (color, marker) in _OWN.items()
}
# ns-3's own class of an algorithm is the same, hollow.
ALGORITHM_STYLE |= {
    f"{name}-ns3": style | {"fillstyle": "none"} for name, style in list(ALGORITHM_STYLE.items())
}

# For lines that are neither algorithms nor engines, told apart without colour too.
CONTROLS: tuple[dict[str, Any], ...] = (
    {"color": "#0072b2", "marker": "o"},
    {"color": "#e69f00", "marker": "s"},
    {"color": "#009e73", "marker": "^"},
    {"color": "#cc79a7", "marker": "v"},
    {"color": "#d55e00", "marker": "*", "markersize": 8},
)

# What legends and tables call an algorithm, where that is not its title.
SHORT = {
    "newreno": "NewReno",
    "reno": "Reno",
    "standard": "standard TCP",
    "highspeed": "HSTCP",
    "highspeed-ns3": "HSTCP of ns-3",
    "scalable": "Scalable TCP",
    "tcpj": "TCP-J",
    "ucc": "UCC",
    "chd": "CHD",
    "hd": "HD",
    "hybla": "Hybla",
    "westwood": "Westwood",
    "westwood-plus": "Westwood+",
    "compound": "Compound",
    "cubic": "CUBIC",
    "bbr": "BBR",
    "bic": "BIC",
    "htcp": "H-TCP",
    "fast": "FAST",
    "vegas": "Vegas",
    "veno": "Veno",
    "illinois": "Illinois",
    "yeah": "YeAH",
    "lp": "TCP-LP",
    "ledbat": "LEDBAT",
    "gaimd": "GAIMD",
    "bbr3": "BBR 3",
    "pert": "PERT",
    "xcp": "XCP",
    "cadpc": "CADPC/PTP",
    "cdg": "CDG",
    "cdg-linux": "CDG of Linux",
    "hd-freebsd": "HD of FreeBSD",
    "chd-freebsd": "CHD of FreeBSD",
    "hybla-2004": "Hybla with its start",
}
# Other names by which the chapters speak of them.
_ALIASES = {"SACK": "newreno", "HighSpeed TCP": "highspeed", "CHD w/o DCC": "chd"}

RC: Any = {  # matplotlib's settings
    "figure.figsize": (7, 4.2),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.alpha": 0.3,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "svg.hashsalt": "longfat",
}


def style(name: str) -> dict[str, Any]:
    """Return how an algorithm or an engine is drawn: colour and marker, as matplotlib takes them.

    `name` is that of the catalogue, of an engine, or what legends call it (`SHORT`).

    >>> from longfat.style import style
    >>> style("tcpj") == style("TCP-J")
    True
    """
    names = {label: known for known, label in SHORT.items()} | _ALIASES
    engines = {label: known for known, label in ENGINE_LABEL.items()}
    if name in ENGINE_STYLE or name in engines:
        return ENGINE_STYLE[engines.get(name, name)]
    return ALGORITHM_STYLE.get(names.get(name, name), {"color": "#555555", "marker": "."})


def known_style(name: str) -> bool:
    """Return whether `style` knows the name."""
    known = {*ALGORITHM_STYLE, *SHORT.values(), *_ALIASES, *ENGINE_STYLE, *ENGINE_LABEL.values()}
    return name in known


# --- names of parameters in words


@functools.cache
def _labels() -> dict[str, str]:
    with paths.DATA.joinpath("labels.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row["label"] for row in csv.DictReader(file)}


def label(name: str) -> str:
    """Return what a sentence calls a parameter of a paper (`data/labels.csv`).

    A name that is not listed is its own words.

    >>> from longfat.style import label
    >>> label("lost_retransmission")
    'how a lost retransmission is found'
    """
    return _labels().get(name, name.replace("_", " "))


# --- numbers as people write them

_POWER = re.compile(
    r"(?<![\w.#])(?<![A-Za-z]-)([-+−]?)(\d+(?:\.\d+)?)e([-+]?\d+)(?![\w.]*\w)", re.I
)


def powers(text: str, form: str = "tex") -> str:
    """Return the text with numbers such as 1e-04 as powers of ten.

    `form` is "tex" (between dollar signs), "html" or "text" (Unicode's superscripts).

    >>> from longfat.style import powers
    >>> powers("p = 1e-04, then 2.50e-03")
    'p = $10^{-4}$, then $2.50\\\\times10^{-3}$'
    >>> powers("an error of 0.0e+00"), powers("the claim near-1e-8")
    ('an error of 0', 'the claim near-1e-8')
    """

    def written(match: re.Match) -> str:
        sign, digits, exponent = match[1].replace("−", "-"), match[2], int(match[3])
        if float(digits) == 0:
            return "0"
        alone = float(digits) == 1 and "." not in digits
        if form == "html":
            tens = f"10<sup>{exponent}</sup>".replace("-", "−")
            return f"{sign}{tens}" if alone else f"{sign}{digits}\u00a0×\u00a0{tens}"
        if form == "text":
            tens = "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
            return f"{sign}{tens}" if alone else f"{sign}{digits} × {tens}"
        tens = f"10^{{{exponent}}}"
        return f"${sign}{tens}$" if alone else f"${sign}{digits}\\times{tens}$"

    return _POWER.sub(written, text)


def number(value: float, digits: int = 3, form: str = "tex") -> str:
    """Return a number of so many digits, as a power of ten where it is small or large.

    >>> from longfat.style import number
    >>> number(0.0001), number(0.02), number(250_000)
    ('$10^{-4}$', '0.02', '$2.5\\\\times10^{5}$')
    """
    if value and not 0.009 <= abs(value) < 1e5:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return powers(f"{mantissa}e{exponent}", form)
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"


_GREEK = "alpha|beta|gamma|delta|Delta|zeta|theta|lambda|rho|sigma|tau"
_FILE = r"\b[\w/-]+\.(?:cc|c|h)\b"
_TYPED = re.compile(
    rf"(?P<code>`[^`]*`|\$[^$]*\$)|(?P<file>{_FILE})|(?P<unit>\b[\w/]+\^\d\b)"
    rf"|\b(?P<name>[A-Za-z]+)_(?P<index>\w+)\b|\b(?P<greek>{_GREEK})\b"
)
_COMPARED = {"<=": "≤", ">=": "≥", "!=": "≠", "+-": "±"}


def formulas(text: str) -> str:
    """Return a comment's or a docstring's text as Markdown, with its mathematics as formulas.

    >>> from longfat.style import formulas
    >>> formulas("p_max, segments/s^3 and rho, by net/ipv4/tcp_lp.c")
    '$p_{max}$, segments/s³ and $\\\\rho$, by `net/ipv4/tcp_lp.c`'
    """

    def written(match: re.Match) -> str:
        name, index = match["name"], match["index"]
        greek = name in _GREEK.split("|")
        if match["code"]:
            return match[0]
        if match["unit"]:
            base, _, power = match[0].partition("^")
            if base in _GREEK.split("|"):
                return rf"$\{base}^{power}$"
            return base + power.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        if match["greek"]:
            return rf"$\{match['greek']}$"
        if match["file"] or index[1:].isupper() or len(index) > 4 or (len(name) > 3 and not greek):
            return f"`{match[0]}`"
        return rf"$\{name}_{{{index}}}$" if greek else f"${name}_{{{index}}}$"

    for typed, sign in _COMPARED.items():
        text = text.replace(typed, sign)
    return _TYPED.sub(written, text)


_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P"}


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit and a prefix: `quantity(2.5e7, "b/s")` is "25 Mb/s"."""
    if value == 0:
        return f"0 {unit}"
    order = min(15, max(-9, 3 * math.floor(math.log10(abs(value)) / 3 + 1e-9)))
    return f"{value / 10**order:.4g} {_PREFIXES[order]}{unit}"
