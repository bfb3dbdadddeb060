#!/usr/bin/env python3
"""Writes covariance.npz beside this file: what NumPy makes of covariances, correlations and cross products.

    generate.py            needs numpy; the same version gives the same bytes

A key ends in its array's element type.
"""

import pathlib
import warnings

import numpy as np

HERE = pathlib.Path(__file__).parent
NAMES = {"int64": "i64", "uint8": "u8", "float32": "f32", "float64": "f64", "complex128": "c128"}
arrays = {}


def put(name, a):
    a = np.asarray(a)
    arrays[f"{name}.{NAMES[a.dtype.name]}"] = a


def variables(rng):
    table = rng.normal(0, 1, (4, 9)) + rng.normal(0, 1, 9) + [[3.0], [0.0], [-40.0], [1e3]]
    put("table", table)
    put("whole", rng.integers(-5, 6, (3, 7)))
    put("complex", rng.normal(0, 1, (3, 6)) + 1j * rng.normal(0, 1, (3, 6)))
    put("line", table[0])
    put("counts", rng.integers(1, 4, 9))
    put("weights", rng.uniform(0.25, 2.0, 9))
    return {name.rsplit(".", 1)[0]: a for name, a in arrays.items()}


def covariances(given):
    table, counts, weights = given["table"], given["counts"], given["weights"]
    for name in ("table", "whole", "complex", "line"):
        put(f"cov_{name}", np.cov(given[name]))
        put(f"cov_columns_{name}", np.cov(given[name], rowvar=False))
        put(f"corrcoef_{name}", np.corrcoef(given[name]))
        put(f"corrcoef_columns_{name}", np.corrcoef(given[name], rowvar=False))
    for ddof in (0, 1, 2):
        put(f"cov_ddof_{ddof}", np.cov(table, ddof=ddof))
        put(f"cov_counts_{ddof}", np.cov(table, ddof=ddof, fweights=counts))
        put(f"cov_weights_{ddof}", np.cov(table, ddof=ddof, aweights=weights))
        put(f"cov_both_{ddof}", np.cov(table, ddof=ddof, fweights=counts, aweights=weights))
    put("cov_no_degrees", np.cov(table, ddof=9))
    put("cov_one", np.cov(table[:, :1]))
    put("cov_none", np.cov(table[:, :0]))


def crosses(rng):
    shapes = {"3": (3,), "2": (2,), "43": (4, 3), "42": (4, 2), "513": (5, 1, 3)}
    for dtype in ("float64", "int64", "uint8", "complex128"):
        kind = NAMES[dtype]
        for name, shape in shapes.items():
            x = rng.integers(0, 9, shape)
            x = x + 1j * rng.integers(-9, 9, shape) if kind == "c128" else x
            put(f"vectors_{name}", x.astype(dtype))
        for a in shapes:
            for b in shapes:
                x, y = arrays[f"vectors_{a}.{kind}"], arrays[f"vectors_{b}.{kind}"]
                put(f"cross_{a}_{b}", np.cross(x, y))


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(21)
    covariances(variables(rng))
    crosses(rng)
    np.savez_compressed(HERE / "covariance.npz", **arrays)
    print(len(arrays), "arrays")


if __name__ == "__main__":
    main()
