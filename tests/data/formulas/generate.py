"""Writes what is made anew after a change of the rows of `macros/src/formulas/rows.rs`.

    python3 tests/data/formulas/generate.py    needs mpmath and numpy

- `formulas.npz`: for each row arguments in the ranges of its oracle, and the formula's values, computed by
  mpmath with 40 digits and rounded once. An array's columns are the arguments and then the value.
- `src/special/formulas.md`, the list of the rows for the documentation.
- `src/guide/coverage.md`, which `tools/coverage/page.py` writes.
"""

import pathlib
import re
import subprocess
import sys

import mpmath
import numpy as np

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
ROWS = ROOT / "macros/src/formulas/rows.rs"
POINTS = 200
# What formulas may name.
NAMES = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}

ROW = re.compile(
    r"#\[oracle\(\s*\"(?P<formula>[^\"]+)\",(?P<rest>[^\]]*)\)\]\s*(?P<function>#\[function\]\s*)?"
    r"fn (?P<name>\w+)\(",
)
RANGE = re.compile(r"(\w+) = ([-+.\de]+?)\.\.([-+.\de]+)")


def rows():
    """Name, whether it is a function alone, formula and ranges of each row."""
    for row in ROW.finditer(ROWS.read_text()):
        ranges = [(name, float(low), float(high)) for name, low, high in RANGE.findall(row["rest"])]
        yield row["name"], row["function"] is not None, row["formula"], ranges


def numbers(rng, low, high):
    """Between the ends, which are among them; and, where zero is, of every size below."""
    found = rng.uniform(low, high, POINTS)
    if low <= 0 <= high:
        found[::4] *= 10.0 ** rng.uniform(-12, 0, len(found[::4]))
    found[0], found[1] = low, high
    return rng.permutation(found)


def value(formula, names, arguments):
    values = dict(zip(names, map(mpmath.mpf, arguments)))
    return float(eval(formula, {**NAMES, **values}))


def table(name, formula, ranges):
    rng = np.random.default_rng(list(name.encode()))
    names = [name for name, _, _ in ranges]
    arguments = np.column_stack([numbers(rng, low, high) for _, low, high in ranges])
    return np.column_stack([arguments, [value(formula, names, row) for row in arguments.tolist()]])


def listed(found):
    methods = [
        f"[`{name}`](crate::DeviceArray::{name}) ([function](crate::special::{name}()))"
        for name, is_function, _, _ in found
        if not is_function
    ]
    functions = [f"[`{name}`](crate::special::{name}())" for name, is_function, _, _ in found if is_function]
    return (
        "\nMade of others, each a method of arrays and a function of arrays and scalars, and a method of floats"
        " in users' functions ([`Formulas`](crate::special::device::Formulas)): "
        + ", ".join(methods)
        + "; functions alone: "
        + ", ".join(functions)
        + ".\n"
    )


def main():
    mpmath.mp.dps = 40
    found = list(rows())
    written = len(re.findall(r"^fn ", ROWS.read_text(), re.MULTILINE))
    if len(found) != written:
        sys.exit(f"{written} rows, of which {len(found)} have an oracle straight before the function")
    np.savez_compressed(
        HERE / "formulas.npz",
        **{f"{name}.f64": table(name, formula, ranges) for name, _, formula, ranges in found},
    )
    (ROOT / "src/special/formulas.md").write_text(listed(found))
    subprocess.run([sys.executable, ROOT / "tools/coverage/page.py"], check=True)


if __name__ == "__main__":
    main()
