#!/usr/bin/env python3
"""Writes `fft.json` and `fft.npz`: Fourier transforms and convolutions by NumPy and SciPy.

A case is as README.md beside this file says. `params` are those of NumPy's and SciPy's functions: `n` or `s`, `axis` or
`axes`, `norm`; `mode`. Results are computed in f64 and rounded once.
"""

import functools
import json
import pathlib

import numpy as np
import scipy
import scipy.signal

from oracle.cases import Topic, encode

HERE = pathlib.Path(__file__).parent
RELATIVE = {"f32": 3e-6, "c64": 3e-6, "f64": 1e-13, "c128": 1e-13}
COMPLEX = {"f32": "c64", "c64": "c64", "f64": "c128", "c128": "c128", "i32": "c128", "bool": "c128", "u8": "c128", "f16": "c64"}
REAL = {"c64": "f32", "c128": "f64"}
GIVES_REAL = ("irfft", "hfft", "irfft2", "irfftn")
topic, rng = Topic("fft"), np.random.default_rng(11)


@functools.cache
def values(shape, dtype):
    x = rng.standard_normal(shape)
    if dtype in REAL:
        x = x + 1j * rng.standard_normal(shape)
    if dtype == "bool":
        return x > 0
    if dtype in ("i32", "u8"):
        return np.abs(50 * x).astype(np.int64)
    return x.astype(np.float16) if dtype == "f16" else x


def stored(x, dtype):
    """The values after the rounding to their type, in f64."""
    if dtype == "f16":
        return x.astype(np.float64)
    x = encode(x, dtype)
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def transform(op, dtype, shape, **params):
    x = values(shape, dtype)
    result = getattr(np.fft, op)(stored(x, dtype), **params)
    gives = COMPLEX[dtype]
    if op in GIVES_REAL:
        gives = REAL[gives]
    top = max(np.abs(result).max(initial=0), 1e-30)
    params = {k: v for k, v in params.items() if v is not None}
    topic.case(op, dtype, [(x, dtype)], [(result, gives)], params, atol=RELATIVE[gives] * top)


def refused(op, dtype, shape, **params):
    topic.case(op, dtype, [(values(shape, dtype), dtype)], None, params)


def convolution(op, dtype, n, m, mode):
    a, v = values(n, dtype), values(m, dtype)
    if dtype.startswith(("i", "u")):
        a, v = encode(a, dtype), encode(v, dtype)
        result = getattr(scipy.signal, op)(a.astype(np.int64), v.astype(np.int64), mode=mode, method="direct")
        topic.case(op, dtype, [(a, dtype), (v, dtype)], [(result, dtype)], dict(mode=mode))
        return
    wide = [stored(x, dtype) for x in (a, v)]
    name = "convolve" if op == "fftconvolve" else op
    result = getattr(scipy.signal, name)(*wide, mode=mode, method="direct")
    top = np.abs(result).max()
    atol = top * (2e-3 if dtype == "f16" else RELATIVE[dtype])
    topic.case(op, dtype, [(a, dtype), (v, dtype)], [(result, dtype)], dict(mode=mode), atol=atol)


def one_axis():
    lengths = [1, 2, 3, 4, 5, 7, 8, 12, 31, 64, 97, 100, 121, 210]
    for k, n in enumerate(lengths):
        for op in ("fft", "ifft", "rfft", "ihfft"):
            real = op in ("rfft", "ihfft")
            for dtype in ("f32", "f64") if real else ("f32", "f64", "c64", "c128")[k % 2 :: 2]:
                transform(op, dtype, (n,))
        for op in ("irfft", "hfft"):
            transform(op, ("c64", "c128")[k % 2], (n // 2 + 1,), n=n)
    for op in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        dtype = "c128" if op in ("irfft", "hfft", "ifft") else "f64"
        for norm in ("backward", "ortho", "forward"):
            transform(op, dtype, (3, 10), norm=norm)
        for n in (1, 6, 13):
            transform(op, dtype, (4, 9), n=n)
            transform(op, dtype, (9, 4), n=n, axis=0)
        transform(op, dtype, (2, 5, 3), axis=1)
        transform(op, dtype, (11, 5, 3), axis=1, norm="ortho")
        transform(op, dtype, (12, 6, 3), axis=-2, n=8)
        refused(op, dtype, (4, 5), axis=2)
        refused(op, dtype, (4, 5), n=0)
        refused(op, dtype, (4, 0))
        refused(op, dtype, ())
    transform("irfft", "f64", (6,))
    transform("hfft", "f32", (2, 4))
    for dtype in ("i32", "bool", "u8", "f16"):
        transform("fft", dtype, (3, 6))
        transform("rfft", dtype, (3, 7))
        transform("irfft", dtype, (3, 7))
    transform("fft", "f64", (0, 6))
    transform("irfft", "c64", (3, 0, 4))
    refused("irfft", "c128", (1,))


def more_axes():
    for suffix, shape in (("2", (6, 9)), ("n", (4, 3, 10)), ("2", (3, 5, 7)), ("n", (2, 3, 4, 5)), ("n", (12,))):
        for op, dtypes in (
            ("fft", ("f32", "f64", "c64", "c128")),
            ("ifft", ("f32", "c128")),
            ("rfft", ("f32", "f64")),
            ("irfft", ("c64", "c128")),
        ):
            for dtype in dtypes:
                transform(op + suffix, dtype, shape)
    for op, dtype in (("fftn", "c128"), ("ifftn", "f64"), ("rfftn", "f64"), ("irfftn", "c128"), ("fftn", "f32")):
        for axes in ([0, 1], [1, 0], [2, 0], [0, 2], [1], [2, 1, 0]):
            transform(op, dtype, (4, 5, 6), axes=axes, norm="ortho")
        transform(op, dtype, (4, 5, 6), axes=[0, 2], s=[3, 9])
        transform(op, dtype, (4, 5, 6), s=[7, 4], axes=[1, 2])
        transform(op, dtype, (9, 3, 2, 2), axes=[1, 2])
        transform(op, dtype, (2, 3, 2, 3, 2), axes=[0, 1, 2, 3, 4])
        refused(op, dtype, (4, 5, 6), axes=[0, 0])
        refused(op, dtype, (4, 5, 6), axes=[0, -3])
        refused(op, dtype, (4, 5, 6), axes=[0, 3])
        refused(op, dtype, (4, 5, 6), axes=[0, 1], s=[2])
    refused("fft2", "f64", (4,))
    transform("fft2", "c64", (16, 1))
    transform("rfft2", "f64", (1, 2))


def convolutions():
    modes = ("full", "same", "valid")
    for op in ("convolve", "correlate", "fftconvolve"):
        for mode in modes:
            for dtype in ("f32", "f64", "c64", "c128"):
                convolution(op, dtype, (40,), (5,), mode)
                convolution(op, dtype, (12, 9), (3, 4), mode)
            convolution(op, "f64", (90,), (77,), mode)
            convolution(op, "c128", (20, 21), (11, 9), mode)
            convolution(op, "f64", (3, 4), (12, 9), mode)
            convolution(op, "f64", (5, 6, 7), (2, 3, 2), mode)
            convolution(op, "f32", (20, 30), (1, 9), mode)
            convolution(op, "f64", (6,), (1,), mode)
            convolution(op, "f16", (20,), (4,), mode)
        if op != "fftconvolve":
            for mode in modes:
                convolution(op, "i32", (50,), (6,), mode)
                convolution(op, "i32", (100,), (80,), mode)
                convolution(op, "u8", (9, 8), (3, 3), mode)
            refused_pair(op, (4, 9), (5, 3), "valid")
        refused_pair(op, (4,), (2, 3), "full")
        refused_pair(op, (4,), (0,), "full")


def refused_pair(op, n, m, mode):
    topic.case(op, "f64", [(values(n, "f64"), "f64"), (values(m, "f64"), "f64")], None, dict(mode=mode))


def main():
    one_axis()
    more_axes()
    convolutions()
    np.savez(HERE / topic.file, **topic.arrays)
    head = json.dumps(dict(numpy=np.__version__, scipy=scipy.__version__))[:-1]
    cases = ",\n".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in topic.cases)
    (HERE / "fft.json").write_text(f'{head}, "cases": [\n{cases}\n]}}\n')
    print(f"{len(topic.cases)} cases, {len(topic.arrays)} arrays")


if __name__ == "__main__":
    main()
