#!/usr/bin/env python3
"""Writes matrices.npz: what scipy.linalg makes of small matrices.

An array stands under the name of what it is; its key ends in the element type, as README.md beside this folder says.
`tests/it/linalg/matrices.rs` has the same calls under the same names. What a decomposition leaves open, such as signs, is
not there; the tests multiply the factors instead.
"""

import pathlib
import warnings

import numpy as np
from scipy import linalg

NAMES = {"int64": "i64", "float64": "f64", "complex128": "c128"}
ARRAYS, rng = {}, np.random.default_rng(20261127)


def put(name, value):
    value = np.array(value, order="C")
    if value.dtype.name.startswith(("int", "uint", "bool")):
        value = value.astype(np.int64)
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def real(*shape):
    return rng.normal(size=shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


def structured():
    for kind, draw in (("real", real), ("complex", cplx)):
        c, r, s = put(f"{kind}_c", draw(5)), put(f"{kind}_r", draw(4)), put(f"{kind}_s", draw(3))
        put(f"{kind}_toeplitz", linalg.toeplitz(c, r)), put(f"{kind}_toeplitz_own", linalg.toeplitz(c))
        put(f"{kind}_hankel", linalg.hankel(c, r)), put(f"{kind}_hankel_own", linalg.hankel(c))
        put(f"{kind}_circulant", linalg.circulant(c)), put(f"{kind}_companion", linalg.companion(c))
        put(f"{kind}_leslie", linalg.leslie(r, s)), put(f"{kind}_block_diag", linalg.block_diag(linalg.toeplitz(c, r), s, linalg.circulant(s)))
        for mode in ("full", "same", "valid"):
            for n in (3, 7):
                put(f"{kind}_convolution_{mode}_{n}", linalg.convolution_matrix(c, n, mode))
        put(f"{kind}_khatri_rao", linalg.khatri_rao(linalg.toeplitz(c, r), linalg.hankel(s, r)))
        x = put(f"{kind}_x", draw(4, 2))
        put(f"{kind}_matmul_toeplitz", linalg.matmul_toeplitz((c, r), x))
        b = put(f"{kind}_b", draw(5, 2))
        put(f"{kind}_solve_toeplitz", linalg.solve_toeplitz((c, np.r_[r, 0.3]), b)), put(f"{kind}_solve_circulant", linalg.solve_circulant(c, b))
    put("fiedler", linalg.fiedler([1.0, 4.0, 2.5]))
    for n in (1, 2, 5, 12):
        put(f"hilbert_{n}", linalg.hilbert(n)), put(f"invhilbert_{n}", linalg.invhilbert(n))
        put(f"helmert_{n}", linalg.helmert(n)), put(f"helmert_full_{n}", linalg.helmert(n, full=True))
        for scale in (None, "sqrtn", "n"):
            put(f"dft_{scale}_{n}", linalg.dft(n, scale))
        for kind in ("symmetric", "lower", "upper"):
            put(f"pascal_{kind}_{n}", linalg.pascal(n, kind).astype(float)), put(f"invpascal_{kind}_{n}", linalg.invpascal(n, kind).astype(float))
    for n in (1, 2, 8):
        put(f"hadamard_{n}", linalg.hadamard(n))


def banded(draw, kind):
    bands, b = put(f"{kind}_bands", draw(4, 7)), put(f"{kind}_band_b", draw(7, 2))
    put(f"{kind}_solve_banded", linalg.solve_banded((2, 1), bands, b)), put(f"{kind}_solve_banded_line", linalg.solve_banded((2, 1), bands, b[:, 0]))
    # Positive definite, three diagonals below the main one.
    low = np.tril(draw(7, 7))
    low[np.subtract.outer(np.arange(7), np.arange(7)) > 3] = 0
    np.fill_diagonal(low, np.abs(np.diag(low)) + 1)
    a = low @ low.conj().T
    lower = np.array([np.r_[np.diag(a, -k), np.zeros(k)] for k in range(4)])
    upper = np.array([np.r_[np.zeros(k), np.diag(a, k)] for k in (3, 2, 1, 0)])
    put(f"{kind}_lower", lower), put(f"{kind}_upper", upper), put(f"{kind}_positive", a)
    put(f"{kind}_solveh_banded", linalg.solveh_banded(lower, b, lower=True))
    put(f"{kind}_cholesky_banded", linalg.cholesky_banded(lower, lower=True)), put(f"{kind}_cholesky_banded_upper", linalg.cholesky_banded(upper))
    put(f"{kind}_eigvals_banded", linalg.eigvals_banded(upper))


def functions():
    for kind, draw in (("real", real), ("complex", cplx)):
        a, e = put(f"{kind}_a", draw(5, 5)), put(f"{kind}_e", draw(5, 5))
        for name in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm", "signm"):
            put(f"{kind}_{name}", getattr(linalg, name)(a))
        for name in ("sqrtm", "logm"):
            put(f"{kind}_{name}", getattr(linalg, name)(a).astype(complex))
        for p in (0.3, -1.7, 2.5):
            put(f"{kind}_power_{p}", linalg.fractional_matrix_power(a, p).astype(complex))
        value, slope = linalg.expm_frechet(a, e)
        put(f"{kind}_frechet", slope)
        h = linalg.hessenberg(a)
        w = np.linalg.eigvals(a)
        put(f"{kind}_eigenvalues", w[np.lexsort((w.imag, w.real))].astype(complex)), put(f"{kind}_hessenberg_size", np.abs(h))
        lu, piv = linalg.lu_factor(a)
        put(f"{kind}_lu", lu), put(f"{kind}_pivots", piv)
        q, b = put(f"{kind}_q", draw(5, 3)), put(f"{kind}_small", draw(3, 3))
        put(f"{kind}_sylvester", linalg.solve_sylvester(a, b, q))
        put(f"{kind}_lyapunov", linalg.solve_continuous_lyapunov(a, e)), put(f"{kind}_discrete", linalg.solve_discrete_lyapunov(a * 0.4, e))
        positive = put(f"{kind}_metric", e @ e.conj().T + np.eye(5))
        hermitian = put(f"{kind}_hermitian", a + a.conj().T)
        put(f"{kind}_generalized", linalg.eigh(hermitian, positive, eigvals_only=True))
        tall, other = put(f"{kind}_tall", draw(6, 3)), put(f"{kind}_other", draw(6, 2))
        put(f"{kind}_angles", linalg.subspace_angles(tall, other)), put(f"{kind}_angles_near", linalg.subspace_angles(tall, tall[:, :2] + 1e-9 * other))
        u, p = linalg.polar(tall)
        put(f"{kind}_polar_u", u), put(f"{kind}_polar_p", p)
        r, scale = linalg.orthogonal_procrustes(tall, tall @ b)
        put(f"{kind}_procrustes", r), put(f"{kind}_procrustes_scale", scale)
        low = put(f"{kind}_low", draw(6, 2) @ draw(2, 5))
        put(f"{kind}_null", linalg.null_space(low).shape[1]), put(f"{kind}_orth", linalg.orth(low).shape[1])
        half = low[:5] @ low[:5].conj().T
        put(f"{kind}_half", half), put(f"{kind}_pinvh", linalg.pinvh(half))
        banded(draw, kind)
    d, e = put("d", real(6)), put("off", real(5))
    put("tridiagonal", linalg.eigvalsh_tridiagonal(d, e))


def main():
    warnings.simplefilter("ignore")
    structured()
    functions()
    np.savez_compressed(pathlib.Path(__file__).parent / "matrices.npz", **ARRAYS)


if __name__ == "__main__":
    main()
