#!/usr/bin/env python3
"""Writes the cases that the tests read, and the small inputs under examples/data: NumPy is the oracle.

    generate.py            needs numpy, scipy and mpmath; the same versions give the same bytes

Files: `cases.json` (the manifest), one `.npz` a topic (arrays, uncompressed), `programs.json` with `programs.npz`.
README.md beside this file says what a case holds and when a result passes.
"""

import importlib
import json
import pathlib
import sys
import warnings

import mpmath
import numpy as np
import scipy

HERE = pathlib.Path(__file__).parent
TOPICS = ["ufuncs", "special", "reductions", "movement", "creation", "examples"]
VERSIONS = dict(numpy=np.__version__, scipy=scipy.__version__, mpmath=mpmath.__version__)


def lines(items):
    """JSON with one item a line, so that a change shows as one line."""
    return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":"), allow_nan=False) for item in items) + "\n]"


def write(path, name, items):
    head = json.dumps(VERSIONS)[:-1]
    path.write_text(f'{head}, "{name}": {lines(items)}}}\n')


def main():
    warnings.filterwarnings("ignore")
    if np.finfo(np.longdouble).nmant < 63:
        sys.exit("the oracle needs a long double wider than f64: run this on x86-64")
    sys.path.insert(0, str(HERE))
    cases = []
    with np.errstate(all="ignore"):
        for name in TOPICS:
            topic = importlib.import_module(f"oracle.{name}").generate()
            np.savez(HERE / topic.file, **topic.arrays)
            cases += topic.cases
            print(f"{name}: {len(topic.cases)} cases, {len(topic.arrays)} arrays")
        programs = importlib.import_module("oracle.programs")
        topic, described = programs.generate()
        np.savez(HERE / topic.file, **topic.arrays)
        print(f"programs: {len(described)}")
        importlib.import_module("oracle.examples").write_inputs(HERE.parent.parent / "examples" / "data")
    write(HERE / "cases.json", "cases", cases)
    write(HERE / "programs.json", "programs", described)


if __name__ == "__main__":
    main()
