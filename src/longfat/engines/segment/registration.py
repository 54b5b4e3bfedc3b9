"""The catalogue of congestion controls in C++: which class, and which attribute a parameter is."""

import json

from longfat.cc.catalogue import Algorithm


def cpp(name: str, algorithm: Algorithm, variable: str) -> str:
    """Return the C++ that includes an algorithm's header and tells the engine of it.

    `variable` names the structure, which is that of algorithm.h.
    """
    parameters = [
        f"    {{{_text(parameter)}, {_text(what.attribute)}}},"
        for parameter, what in algorithm.parameters.items()
    ]
    caps = str(algorithm.caps_window).lower()
    return "\n".join(
        [
            f"#include {_text(algorithm.header or '')}",
            '#include "algorithm.h"',
            f"static const longfat::segment::Parameter parameters_of_{variable}[] = {{",
            *parameters,
            "    {nullptr, nullptr},",
            "};",
            f'extern "C" const longfat::segment::Algorithm {variable}{{',
            f"    {_text(name)}, {_text(algorithm.type_id)}, {caps}, parameters_of_{variable}, "
            f"{len(parameters)}}};",
            "",
        ]
    )


def _text(value: str) -> str:
    return json.dumps(value)
