#!/usr/bin/env python3
"""Writes control.npz: Riccati's equations, factorisations of indefinite matrices, balancing and functions by scipy.linalg.

Keys are as in generate.py; `tests/it/linalg/control.rs` has the same calls under the same names.
"""

import pathlib

import numpy as np
from scipy import linalg

NAMES = {"int64": "i64", "float64": "f64", "complex128": "c128"}
ARRAYS, rng = {}, np.random.default_rng(20261201)


def put(name, value):
    value = np.array(value, order="C")
    if value.dtype.name.startswith("int"):
        value = value.astype(np.int64)
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def real(*shape):
    return np.round(rng.normal(size=shape), 2)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


def hermitian(a):
    return a + a.conj().T


def riccati(kind, draw):
    a, b, q = put(f"{kind}_a", draw(4, 4)), put(f"{kind}_b", draw(4, 2)), draw(4, 4)
    q, r = put(f"{kind}_q", q @ q.conj().T), draw(2, 2)
    r = put(f"{kind}_r", r @ r.conj().T + 2 * np.eye(2))
    put(f"{kind}_care", linalg.solve_continuous_are(a, b, q, r)), put(f"{kind}_dare", linalg.solve_discrete_are(a, b, q, r))
    singular = np.zeros((4, 4), dtype=a.dtype)
    singular[:3, 1:] = np.eye(3)
    put(f"{kind}_dare_singular", linalg.solve_discrete_are(singular, b, q, r))


def indefinite(kind, draw):
    for k, n in enumerate((1, 2, 3, 6, 9)):
        a = hermitian(draw(n, n))
        if n > 2:
            np.fill_diagonal(a, np.round(0.1 * np.diag(a).real, 2))
        a = put(f"{kind}_ldl_{k}", a)
        for name, part in zip("ldp", linalg.ldl(a)):
            put(f"{kind}_ldl_{k}_{name}", part)
    zeros = np.zeros((3, 3), dtype=a.dtype)
    zeros[2, 0] = zeros[0, 2] = 5
    for name, part in zip("ldp", linalg.ldl(put(f"{kind}_ldl_zeros", zeros))):
        put(f"{kind}_ldl_zeros_{name}", part)


def balanced(kind, draw):
    scales = 10.0 ** np.arange(-4, 4)
    wide = draw(8, 8) * scales[:, None] / scales[::-1]
    alone = np.triu(draw(6, 6))
    alone[3, 1] = 700
    alone = alone[[2, 5, 0, 1, 4, 3]][:, [2, 5, 0, 1, 4, 3]]
    for name, a in (("wide", wide), ("alone", alone), ("triangle", np.tril(draw(4, 4)))):
        for part, value in zip("bt", linalg.matrix_balance(put(f"{kind}_balance_{name}", a))):
            put(f"{kind}_balance_{name}_{part}", value)


def functions(kind, draw):
    a = put(f"{kind}_funm", draw(5, 5))
    put(f"{kind}_funm_cos", linalg.funm(a, np.cos).astype(complex)), put(f"{kind}_funm_cube", (a @ a @ a).astype(complex))
    for n in range(2, 9):
        put(f"{kind}_fiedler_{n}", linalg.fiedler_companion(put(f"{kind}_line_{n}", draw(n) + 3)))


def real_forms():
    a = np.stack([real(5, 5) for _ in range(3)])
    a[2] = hermitian(a[2])
    w, v = np.linalg.eig(a)
    put("values", w), put("vectors", v)
    for name, part in zip("wv", linalg.cdf2rdf(w, v)):
        put(f"cdf2rdf_{name}", part)


if __name__ == "__main__":
    for kind, draw in (("real", real), ("complex", cplx)):
        riccati(kind, draw), indefinite(kind, draw), balanced(kind, draw), functions(kind, draw)
    real_forms()
    np.savez_compressed(pathlib.Path(__file__).parent / "control.npz", **ARRAYS)
