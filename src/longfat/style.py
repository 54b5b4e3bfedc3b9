"""What things look like on every page: a colour and a marker for each algorithm and each engine.

An algorithm's stand in its header. Colours are told apart by the colour-blind too (Okabe and Ito's,
and Tol's "muted" for engines and for what no chapter is about); markers tell what colours do not.
"""

import csv
import functools
import math
import re
from typing import Any

from longfat import paths
from longfat.cc import catalogue

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

# For lines that are neither algorithms nor engines, told apart without colour too.
CONTROLS: tuple[dict[str, Any], ...] = (
    {"color": "#0072b2", "marker": "o"},
    {"color": "#e69f00", "marker": "s"},
    {"color": "#009e73", "marker": "^"},
    {"color": "#cc79a7", "marker": "v"},
    {"color": "#d55e00", "marker": "*", "markersize": 8},
)

# Other names by which the chapters speak of them.
OF_NS3 = "-ns3"  # how the name of ns-3's own class of an algorithm ends
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


def algorithm_styles() -> dict[str, dict[str, Any]]:
    """Return how algorithms are drawn, by name: colour and marker that their entries state.

    Standard TCP is a blue circle, what a chapter's paper proposes vermilion, on every page. ns-3's
    own class of an algorithm is the same, hollow.
    """
    known = {
        name: {"color": one.colour, "marker": one.marker}
        for name, one in catalogue.algorithms().items()
        if one.colour
    }
    return known | {f"{name}{OF_NS3}": look | {"fillstyle": "none"} for name, look in known.items()}


def short_name(name: str) -> str:
    """Return what legends and tables call an algorithm of the catalogue; another name as it is.

    >>> from longfat.style import short_name
    >>> short_name("westwood-plus"), short_name("highspeed-ns3"), short_name("SACK")
    ('Westwood+', 'HSTCP of ns-3', 'SACK')
    """
    own = name.removesuffix(OF_NS3)
    if (known := catalogue.algorithms().get(own)) is None:
        return name
    return (known.short_name or known.title) + (" of ns-3" if own != name else "")


def style(name: str) -> dict[str, Any]:
    """Return how an algorithm or an engine is drawn: colour and marker, as matplotlib takes them.

    `name` is that of the catalogue, of an engine, or what legends call it (`short_name`).

    >>> from longfat.style import style
    >>> style("tcpj") == style("TCP-J")
    True
    """
    return _look(name) or {"color": "#555555", "marker": "."}


def known_style(name: str) -> bool:
    """Return whether `style` has a look for the name alone."""
    return _look(name) is not None


def _look(name: str) -> dict[str, Any] | None:
    engines = {label: known for known, label in ENGINE_LABEL.items()}
    if (engine := engines.get(name, name)) in ENGINE_STYLE:
        return ENGINE_STYLE[engine]
    names = {short_name(known): known for known in catalogue.algorithms()} | _ALIASES
    return algorithm_styles().get(names.get(name, name))


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
