#!/usr/bin/env python3
"""Writes sorting.npz beside the other cases: what NumPy makes of small arrays with equal elements, NaN, infinities and
both zeros. A key is `operation:input:parameters.dtype`; an input's key is its name alone.

    sorting/generate.py    needs numpy; the same version gives the same bytes
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from oracle.cases import ALL, COMPLEX, FLOATS, INTS, NUMPY, REAL, encode, rounded  # noqa: E402

ARRAYS = {}


def put(key, values, dtype):
    ARRAYS[f"{key}.{dtype}"] = encode(np.asarray(values), dtype)


def values(dtype, shape, rng):
    """Few different values, and in floats what is special to them."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in INTS:
        info = np.iinfo(NUMPY[dtype])
        x = rng.integers(max(info.min, -9), 10, shape).astype(NUMPY[dtype])
        x.flat[::7], x.flat[3::11] = info.min, info.max
        return x
    x = rng.integers(-4, 5, shape) / 2
    if dtype in COMPLEX:
        x = x + 1j * rng.integers(-2, 3, shape)
        x.flat[::9] = complex(np.nan, 1)
        x.flat[4::13] = complex(1, np.nan)
        x.flat[5::17] = complex(np.nan, np.nan)
        return rounded(x, dtype)
    x.flat[::9], x.flat[2::13], x.flat[4::13], x.flat[5::6] = np.nan, np.inf, -np.inf, -0.0
    return rounded(x, dtype)


def orders(dtype, rng):
    x = values(dtype, (3, 7, 5), rng)
    put("x", x, dtype)
    for axis in range(3):
        put(f"sort:x:{axis}", np.sort(x, axis=axis, kind="stable"), dtype)
        ARRAYS[f"argsort:x:{axis}:{dtype}.i64"] = np.argsort(x, axis=axis, kind="stable").astype(np.int64)
    found = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    put("unique:x:values", found[0], dtype)
    for name, part in zip(("positions", "inverse", "counts"), found[1:]):
        ARRAYS[f"unique:x:{name}:{dtype}.i64"] = np.asarray(part).reshape(x.shape if name == "inverse" else -1).astype(np.int64)
    for k, part in enumerate(np.nonzero(x)):
        ARRAYS[f"nonzero:x:{k}:{dtype}.i64"] = part.astype(np.int64)
    y = values(dtype, (20,), rng)
    if dtype in COMPLEX:
        # Which of the NaN stands for all of them is nobody's promise.
        x, y = np.where(np.isnan(x), 0, x).astype(x.dtype), np.where(np.isnan(y), 0, y).astype(y.dtype)
    put("set_x", x, dtype), put("set_y", y, dtype)
    ARRAYS[f"is_in:{dtype}.bool"] = np.isin(x, y)
    for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
        put(name, getattr(np, name)(x, y), dtype)


METHODS = ("linear", "lower", "higher", "nearest", "midpoint")
PARTS = (0, 0.1, 0.5, 0.77, 1)


def quantiles(dtype, rng):
    """Of arrays without NaN: the median, then each method's quantiles; of floats with NaN the same twice, once with NaN
    left out."""
    plain = rounded(rng.integers(-20, 20, (4, 6, 5)) / 4, dtype)
    if dtype in INTS:
        plain = rng.integers(0, 100, (4, 6, 5)).astype(NUMPY[dtype])
    put("plain", plain, dtype)
    result = dtype if dtype in FLOATS else "f64"
    wide = plain.astype(np.float64)
    for name, axes in (("0", 0), ("1", 1), ("02", (0, 2)), ("all", None)):
        found = [np.median(wide, axis=axes)]
        found += [np.quantile(wide, q, axis=axes, method=method) for method in METHODS for q in PARTS]
        put(f"quantiles:plain:{name}:{dtype}", np.stack(found), result)
    if dtype not in FLOATS:
        return
    holes = plain.copy()
    holes[0, 0, 0] = holes[1, :, 3] = holes[:, 2, 2] = np.nan
    put("holes", holes, dtype)
    wide = holes.astype(np.float64)
    for axis in range(3):
        found = [np.median(wide, axis=axis)] + [np.quantile(wide, q, axis=axis) for q in PARTS]
        put(f"quantiles:holes:{axis}:{dtype}", np.stack(found), result)
        found = [np.nanmedian(wide, axis=axis)]
        found += [np.nanquantile(wide, q, axis=axis, method=method) for method in METHODS for q in PARTS]
        put(f"nanquantiles:holes:{axis}:{dtype}", np.stack(found), result)


def scatters(dtype, rng):
    small = (lambda shape: rng.random(shape) < 0.5) if dtype == "bool" else (lambda shape: rounded(rng.integers(0, 5, shape), dtype))
    base, values, at = small((4, 6, 3)), small((4, 9, 3)), rng.integers(-6, 6, 9)
    put("base", base, dtype), put("given", values, dtype)
    ARRAYS[f"at:{dtype}.i64"] = at.astype(np.int64)
    ways = dict(put=None, add=np.add, minimum=np.minimum, maximum=np.maximum, multiply=np.multiply)
    for name, ufunc in ways.items():
        if name in ("minimum", "maximum") and dtype in COMPLEX or dtype == "bool" and name not in ("put", "minimum", "maximum"):
            continue
        out = base.copy()
        if ufunc is None:
            out[:, at] = values
        else:
            ufunc.at(out, (slice(None), at), values)
        put(f"scatter:{name}", out, dtype)
    along = rng.integers(-6, 6, (4, 9, 3))
    ARRAYS[f"along:{dtype}.i64"] = along.astype(np.int64)
    out = base.copy()
    np.put_along_axis(out, along, values, axis=1)
    put("scatter:along", out, dtype)


def main():
    rng = np.random.default_rng(77)
    with np.errstate(all="ignore"):
        import warnings

        warnings.filterwarnings("ignore")
        for dtype in ALL:
            orders(dtype, rng), scatters(dtype, rng)
        for dtype in REAL:
            quantiles(dtype, rng)
    np.savez(HERE.parent / "sorting.npz", **ARRAYS)
    print(len(ARRAYS), "arrays")


if __name__ == "__main__":
    main()
