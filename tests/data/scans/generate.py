#!/usr/bin/env python3
"""Writes scans.npz beside this file: what NumPy and SciPy make of scans, differences, searches and counts.

    generate.py            needs numpy and scipy; the same versions give the same bytes

A key ends in its array's element type; `f16` is stored as its bits in `u16`. Floating-point scans are computed in
higher precision and rounded once.
"""

import pathlib

import numpy as np
from scipy.integrate import cumulative_simpson, cumulative_trapezoid, fixed_quad, newton_cotes, romb, simpson

HERE = pathlib.Path(__file__).parent
NAMES = {np.dtype(t).name: n for t, n in [
    ("bool", "bool"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"),
    ("uint8", "u8"), ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"),
    ("float16", "f16"), ("float32", "f32"), ("float64", "f64"), ("complex64", "c64"), ("complex128", "c128")]}
arrays = {}


def put(name, a):
    a = np.asarray(a)
    kind = NAMES[a.dtype.name]
    arrays[f"{name}.{kind}"] = a.view(np.uint16) if kind == "f16" else a


def scans(rng):
    for dtype in NAMES:
        kind = NAMES[dtype]
        x = rng.integers(0, 2 if kind == "bool" else 4, (2, 3, 21))
        if kind[0] in "fc":
            x = rng.uniform(-1.5, 1.5, x.shape)
        if kind[0] == "c":
            x = x + 1j * rng.uniform(-1, 1, x.shape)
        if kind[0] == "i":
            x = x - 2
        x = x.astype(dtype)
        if kind in ("f32", "f64"):
            x[1, 2, 7], x[0, 0, 15], x[1, 1, 3] = np.nan, np.inf, -0.0
        put(f"{kind}_x", x)
        wide = {"f": np.longdouble, "c": np.clongdouble}.get(kind[0])
        gives = x.dtype if wide else np.cumsum(x).dtype
        for axis in (0, 1, 2, None):
            source = x.astype(wide) if wide else x
            with np.errstate(all="ignore"):
                put(f"{kind}_cumsum_{axis}", np.cumsum(source, axis=axis).astype(gives))
                put(f"{kind}_cumprod_{axis}", np.cumprod(source, axis=axis).astype(gives))
                if kind[0] in "fc":
                    put(f"{kind}_nancumsum_{axis}", np.nancumsum(source, axis=axis).astype(gives))
                    put(f"{kind}_nancumprod_{axis}", np.nancumprod(source, axis=axis).astype(gives))
            if kind[0] != "c":
                flat = x.ravel() if axis is None else x
                put(f"{kind}_cummin_{axis}", np.minimum.accumulate(flat, axis=axis or 0))
                put(f"{kind}_cummax_{axis}", np.maximum.accumulate(flat, axis=axis or 0))


def differences(rng):
    y, x = rng.uniform(-3, 3, (4, 6, 5)), np.cumsum(rng.uniform(0.1, 2, 6))
    every = np.cumsum(rng.uniform(0.1, 2, y.shape), axis=1)
    put("y", y), put("points", x), put("every_point", every)
    put("before", y[:, :1]), put("after", y[:, 2:4])
    put("diff2_with", np.diff(y, 2, axis=1, prepend=y[:, :1], append=y[:, 2:4]))
    put("ediff1d", np.ediff1d(y, to_begin=[1.0, 2.0], to_end=[3.0]))
    put("trapezoid_dx", np.trapezoid(y, dx=0.25, axis=1))
    put("trapezoid_x", np.trapezoid(y, x, axis=1))
    put("trapezoid_every", np.trapezoid(y, every, axis=1))
    put("cumulative_dx", cumulative_trapezoid(y, dx=0.25, axis=1))
    put("cumulative_x", cumulative_trapezoid(y, x, axis=1, initial=0))
    for order in (1, 2):
        put(f"gradient_dx_{order}", np.gradient(y, 0.5, axis=1, edge_order=order))
        put(f"gradient_x_{order}", np.gradient(y, x, axis=1, edge_order=order))
    for axis, slope in enumerate(np.gradient(y)):
        put(f"gradients_{axis}", slope)


def searches(rng):
    for n in (1, 2, 7, 64, 100):
        line = np.sort(rng.integers(-20, 20, n)).astype(np.float64)
        values = np.concatenate([rng.integers(-25, 25, 40).astype(np.float64), line[:3], [np.nan, np.inf, -np.inf]])
        if n > 7:
            line[-2:] = np.nan
        put(f"line_{n}", line), put(f"values_{n}", values)
        for side in ("left", "right"):
            put(f"places_{side}_{n}", np.searchsorted(line, values, side))
    order = rng.permutation(20)
    numbers = np.empty(20, np.int32)
    numbers[order] = np.sort(rng.integers(0, 30, 20)).astype(np.int32)
    put("unsorted", numbers), put("sorter", order.astype(np.int64))
    wanted = np.arange(-1, 32, dtype=np.int32).reshape(3, 11)
    put("wanted", wanted), put("places_sorter", np.searchsorted(numbers, wanted, "right", order))
    bounds = np.array([-1.0, 0.0, 0.5, 0.5, 2.0])
    x = np.concatenate([rng.uniform(-2, 3, 30), bounds])
    put("bounds", bounds), put("binned", x)
    for right in (False, True):
        put(f"digitize_{right}", np.digitize(x, bounds, right))
        put(f"digitize_falling_{right}", np.digitize(x, bounds[::-1], right))
    xp, fp = np.array([-1.0, 0.0, 0.5, 2.0, 7.0]), np.array([3.0, -1.0, np.inf, 4.0, 4.0])
    at = np.concatenate([rng.uniform(-3, 9, 30), xp, [np.nan, np.inf, -np.inf]])
    put("xp", xp), put("fp", fp), put("at", at)
    put("interp", np.interp(at, xp, fp)), put("interp_ends", np.interp(at, xp, fp, -7.0, 8.0))


def counts(rng):
    n = rng.integers(0, 9, 500)
    w = rng.uniform(-1, 1, 500)
    put("numbers", n), put("weights", w)
    put("bincount", np.bincount(n)), put("bincount_12", np.bincount(n, minlength=12))
    put("bincount_weights", np.bincount(n, w))
    x = np.concatenate([rng.normal(0, 1, 480), [-2.0, 2.0, 0.0, 0.5] * 5])
    put("sample", x)
    put("hist_10", np.histogram(x, 10)[0]), put("edges_10", np.histogram(x, 10)[1])
    put("hist_range", np.histogram(x, 8, (-2.0, 2.0))[0])
    put("hist_density", np.histogram(x, 8, (-2.0, 2.0), density=True)[0])
    edges = np.array([-2.0, -0.5, 0.0, 0.5, 0.75, 2.0])
    put("edges", edges), put("hist_edges", np.histogram(x, edges)[0])
    put("hist_weights", np.histogram(x, edges, weights=w)[0])
    h, a, b = np.histogram2d(x, w, [5, 4], [[-2.0, 2.0], [-1.0, 1.0]])
    put("hist2d", h), put("edges2d_x", a), put("edges2d_y", b)


def integrals(rng):
    for n in (1, 2, 3, 4, 7, 10):
        y, x = rng.uniform(-3, 3, (2, n, 3)), np.cumsum(rng.uniform(0.1, 2, n))
        every = np.cumsum(rng.uniform(0.1, 2, y.shape), axis=1)
        put(f"simpson_y_{n}", y), put(f"simpson_points_{n}", x), put(f"simpson_every_{n}", every)
        put(f"simpson_dx_{n}", simpson(y, dx=0.25, axis=1))
        put(f"simpson_x_{n}", simpson(y, x=x, axis=1))
        put(f"simpson_each_{n}", simpson(y, x=every, axis=1))
        if n > 1:
            put(f"simpsons_dx_{n}", cumulative_simpson(y, dx=0.25, axis=1))
            put(f"simpsons_x_{n}", cumulative_simpson(y, x=x, axis=1, initial=0.75))
            put(f"simpsons_each_{n}", cumulative_simpson(y, x=every, axis=1))
    # Points at one place, of which the one between has no part.
    doubled = np.array([0.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    put("doubled", doubled)
    put("simpson_doubled", simpson(np.arange(6.0), x=doubled)), put("simpson_doubled_5", simpson(np.arange(5.0), x=doubled[:5]))
    for k in (0, 1, 4):
        y = rng.uniform(-3, 3, (3, 2**k + 1))
        put(f"romb_y_{k}", y), put(f"romb_{k}", romb(y, dx=0.5, axis=1))
    put("newton_cotes", np.concatenate([newton_cotes(n, 1)[0] for n in range(1, 13)]))
    put("newton_cotes_errors", np.array([newton_cotes(n, 1)[1] for n in range(1, 13)]))
    put("fixed_quad", np.array([fixed_quad(lambda x: np.exp(-x) * np.cos(3 * x), -1.0, 2.5, n=n)[0] for n in (1, 2, 5, 12)]))


def main():
    rng = np.random.default_rng(20)
    for part in (scans, differences, searches, counts):
        part(rng)
    integrals(np.random.default_rng(21))
    np.savez(HERE / "scans.npz", **arrays)
    print(len(arrays), "arrays")


if __name__ == "__main__":
    main()
