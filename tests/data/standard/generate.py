#!/usr/bin/env python3
"""Writes standard.npz: what NumPy makes of the array API's functions and of indices by several arrays.

An array stands under the name of what it is; its key ends in the element type, as README.md beside this folder says.
`tests/it/standard` writes the same expressions under the same names.
"""

import pathlib
import warnings

import numpy as np
from scipy import stats

NAMES = {"bool": "bool", "int32": "i32", "int64": "i64", "uint8": "u8", "float32": "f32", "float64": "f64",
         "complex64": "c64", "complex128": "c128"}
TYPES = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
         "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}
ARRAYS, rng = {}, np.random.default_rng(20251125)


def put(name, value):
    value = np.array(value, order="C")
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def promotion():
    """The number of each pair's common type, and whether the first casts to the second."""
    types = [np.dtype(t) for t in TYPES.values()]
    number = lambda t: types.index(t)
    put("promote", np.array([[number(np.promote_types(a, b)) for b in types] for a in types], np.int64))
    put("can_cast", np.array([[np.can_cast(a, b) for b in types] for a in types]))


def arithmetic():
    """For each pair of types the values of an operation, and the number of its type, -1 where it is refused."""
    types = [np.dtype(t) for t in TYPES.values()]
    left, right = put("left", np.array([4.0, 6.0, 8.0])), put("right", np.array([2.0, 1.0, 4.0]))
    exact = ("minimum", "maximum", "less", "less_equal", "greater", "greater_equal")
    for op in ("add", "subtract", "multiply", "divide", "power", "floor_divide", "remainder", "equal", "not_equal", *exact):
        values = np.zeros((len(types), len(types), 3), np.complex128)
        numbers = np.full((len(types), len(types)), -1, np.int64)
        for i, a in enumerate(types):
            for k, b in enumerate(types):
                # NumPy orders complex numbers; the array API and this library do not.
                if op in exact and "c" in (a.kind, b.kind):
                    continue
                try:
                    values[i, k] = found = getattr(np, op)(left.astype(a), right.astype(b))
                    numbers[i, k] = types.index(found.dtype)
                except TypeError:
                    pass
        put(f"pairs_{op}", values)
        put(f"pairs_{op}_type", numbers)


def movement():
    a = put("a", np.arange(24, dtype=np.int32).reshape(2, 3, 4))
    put("roll_two", np.roll(a, (1, -2), axis=(0, 2)))
    put("roll_one_for_all", np.roll(a, 2, axis=(1, -1)))
    put("roll_twice", np.roll(a, (1, 2), axis=(1, 1)))
    put("roll_shifts", np.roll(a, (1, 2), axis=-1))
    put("moveaxis", np.moveaxis(a, [0, 2], [-1, 0]))
    put("expand_dims", np.expand_dims(a, (0, -1, 2)))
    put("mt", np.matrix_transpose(a))
    put("repeat_list", np.repeat(a, [2, 0, 3], axis=1))
    put("concatenate_flat", np.concatenate((a, a[0].T, a[:, 0]), axis=None))
    for k, part in enumerate(np.unstack(a, axis=-2)):
        put(f"unstack_{k}", part)
    for k, part in enumerate(np.broadcast_arrays(a[:1, :, :1], a[0, 0], np.int32(7))):
        put(f"broadcast_{k}", part)


def numbers():
    x = put("x", np.array([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 1e300, np.inf, -np.inf, np.nan, 0.3, -7.9]))
    put("round", np.round(x))
    put("clip_min", np.clip(x, 0.25, None))
    put("clip_max", np.clip(x, None, 0.25))
    s = put("s", rng.normal(size=(4, 5)))
    for name, ddof in (("half", 0.5), ("more", -1.25), ("most", 3.5)):
        put(f"var_{name}", s.var(axis=0, ddof=ddof))
        put(f"std_{name}", s.std(axis=1, ddof=ddof, keepdims=True))
    for name, ends in (("both", (1 - 2j, 3 + 5j)), ("real", (2.0 + 0j, -1.0 + 0j))):
        put(f"linspace_{name}", np.linspace(*ends, 7))
        put(f"linspace_open_{name}", np.linspace(*ends, 6, endpoint=False))
    for axis in (0, 1):
        put(f"cumsum_initial_{axis}", np.cumulative_sum(s, axis=axis, include_initial=True))
        put(f"cumprod_initial_{axis}", np.cumulative_prod(s, axis=axis, include_initial=True))
    line = put("line", np.sort(rng.integers(0, 9, 12)).astype(np.int32))
    put("searchsorted_left", np.searchsorted(line, np.int32(4)))
    put("searchsorted_right", np.searchsorted(line, np.int32(4), side="right"))


def algebra():
    a, b = put("t", rng.normal(size=(2, 3, 4))), put("u", rng.normal(size=(3, 4, 2)))
    put("tensordot_2", np.tensordot(a, b, 2))
    put("tensordot_0", np.tensordot(a[0], b[0], 0))
    put("vecdot_0", np.vecdot(a, a[:, :1] * 2, axis=0))
    z = put("z", rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2)))
    put("vecdot_complex", np.vecdot(z, z[:, ::-1], axis=-2))
    put("cross_1", np.cross(a, a[::-1] + 1, axis=1))
    put("cross_0", np.cross(z, z[:, ::-1] ** 2, axis=0))
    m = rng.normal(size=(2, 4, 4)) + 1j * rng.normal(size=(2, 4, 4))
    h = put("h", m @ m.conj().swapaxes(1, 2) + np.eye(4))
    put("cholesky_upper", np.linalg.cholesky(h, upper=True))
    put("power_minus", np.linalg.matrix_power(h, -3))
    for k, which in enumerate(("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)):
        put(f"norm_{k}", np.linalg.matrix_norm(h, ord=which, keepdims=True))


def distinct(name, a, **how):
    # Where the inverse of an axis has more than one axis, NumPy's versions differ.
    values, positions, inverse, counts = np.unique(
        a, return_index=True, return_inverse=True, return_counts=True, **how)
    put(f"unique_{name}", values)
    put(f"unique_{name}_positions", positions)
    put(f"unique_{name}_inverse", inverse.reshape(a.shape if "axis" not in how else -1))
    put(f"unique_{name}_counts", counts)


def sets():
    r = put("rows", rng.integers(0, 2, (30, 5)).astype(np.int32))
    distinct("rows", r, axis=0)
    distinct("columns", r, axis=1)
    f = put("floats", rng.integers(-1, 2, (4, 20, 3)).astype(np.float64) / 2)
    distinct("middle", f, axis=1)
    c = put("complexes", (rng.integers(0, 2, (20, 2)) + 1j * rng.integers(0, 2, (20, 2))))
    distinct("complexes", c, axis=0)
    distinct("bools", put("bools", rng.random((20, 4)) < 0.5), axis=0)
    n = put("nan", np.where(rng.random(12) < 0.4, np.nan, rng.integers(0, 3, 12)))
    distinct("nan", n, equal_nan=False)
    put("isin_not", np.isin(r, [0, 7], invert=True))
    put("isin_one", np.isin(n, 2.0))


def indices():
    a = put("q", rng.integers(0, 1000, (3, 4, 5)).astype(np.int32))
    i, j = put("i", np.array([[0, 2, -1]])), put("j", np.array([[1], [-3]]))
    mask = put("mask", rng.random((3, 4)) < 0.5)
    rows, last = put("mask_rows", np.array([True, False, True])), put("mask_last", np.arange(5) % 3 == 0)
    two = put("two", np.array([0, 2]))
    cases = dict(
        pair=(i, j), pair_behind=(slice(None), j, i), apart=(i, slice(None), j), apart_range=(j, slice(1, 3), i),
        number=(0, slice(None), two), number_near=(slice(None), 0, two), number_first=(1, i),
        reversed=(slice(None, None, -1), i[0], slice(None, None, -2)), new=(two, None, slice(1, None), 0),
        ellipsis=(Ellipsis, i), ellipsis_ends=(two, Ellipsis, two), ellipsis_zero=(None, two, two, Ellipsis, two),
        mask=(mask,), mask_behind=(rows, slice(None), last), mask_range=(mask, slice(None, None, 2)),
        mask_number=(rows, 1), mask_array=(mask, 3), last=(Ellipsis, last),
        listed=([0, 2, 1], slice(None), 3), basic=(Ellipsis, slice(1, 4, 2)), basic_number=(1, Ellipsis, 2),
    )
    for name, index in cases.items():
        found = put(f"index_{name}", a[index])
        values = put(f"values_{name}", rng.integers(0, 9, found.shape).astype(np.int32))
        b = a.copy()
        b[index] = 7
        put(f"assign_{name}", b)
        for op in ("add", "multiply", "minimum", "maximum"):
            b = a.copy()
            getattr(np, op).at(b, index, values)
            put(f"{op}_{name}", b)
    b = a.copy()
    b[[0, 0, 2], :, 1] = values = np.arange(12).reshape(3, 4)
    put("assign_values", b)
    put("values", values.astype(np.int32))


def positions():
    index = put("choice", np.array([[0, 2, 1], [1, 1, 0]]))
    choices = [put("choice_0", np.arange(3.0)), put("choice_1", np.array([[10.0], [20.0]])), put("choice_2", 5.0)]
    put("choose", np.choose(index, choices))
    put("choose_clip", np.choose(3 * index - 2, choices, mode="clip"))
    put("choose_wrap", np.choose(index + 5, choices, mode="wrap"))
    flat = put("flat", np.array([[0, 59], [17, 31]]))
    parts = np.unravel_index(flat, (3, 4, 5))
    for k, part in enumerate(parts):
        put(f"unravel_{k}", part)
    put("ravel", np.ravel_multi_index(parts, (7, 4, 5)))
    for n, m, k in ((3, 5, 1), (5, 3, -1), (4, 4, 0)):
        for name in ("tril", "triu"):
            for axis, part in enumerate(getattr(np, f"{name}_indices")(n, k, m)):
                put(f"{name}_{n}{m}_{axis}", part)
    for name, shape, value in (("wide", (3, 5), 7), ("tall", (5, 2), [1, 2, 3]), ("cube", (3, 3, 3), [4, 5])):
        filled = np.zeros(shape, np.int32)
        np.fill_diagonal(filled, value)
        put(f"diagonal_{name}", filled)


def edits():
    a, v = put("e", np.arange(12, dtype=np.int32).reshape(3, 4)), put("v", np.array([70, 80, 90], np.int32))
    put("insert_one", np.insert(a, 1, 7, axis=0))
    put("insert_some", np.insert(a, [4, 0, 2], v[:, None], axis=1))
    put("insert_row", np.insert(a, -1, a[:1] * 2, axis=0))
    put("delete_some", np.delete(a, [0, -1], axis=1))
    put("append", np.append(a, a[:2], axis=0))
    put("resize_more", np.resize(a, (2, 7)))
    put("resize_fewer", np.resize(a.T, 5))
    put("ediff1d", np.ediff1d(a.T, to_end=v[:1], to_begin=v[1:]))
    put("trim_zeros", np.trim_zeros(np.array([0, 0, 1, 0, 2, 0], np.int32)))
    put("column_stack", np.column_stack((v, a[:, :2], v * 2)))
    bits = put("bits", rng.random((3, 19)) < 0.5)
    for axis in (0, 1):
        packed = put(f"packbits_{axis}", np.packbits(bits, axis=axis))
        put(f"unpackbits_{axis}", np.unpackbits(packed, axis=axis))
    widths = ((2, 5), (0, 7))
    f = put("f", np.round(rng.normal(size=(3, 4)), 2))
    for mode in ("edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "linear_ramp"):
        how = {"end_values": -3} if mode == "linear_ramp" else {}
        put(f"pad_{mode}", np.pad(f, widths, mode=mode, **how))
        put(f"pad_whole_{mode}", np.pad(a, widths, mode=mode, **how))


def series():
    x = put("phase", np.cumsum(rng.normal(0, 2.5, (3, 40)), axis=1))
    put("unwrap", np.unwrap(np.mod(x, 2 * np.pi), axis=1))
    put("unwrap_jump", np.unwrap(np.mod(x, 4.0), period=4.0, discont=2.5, axis=0))
    put("unwrap_edge", np.unwrap(np.array([0.0, 2.0, 4.0, 2.0, 0.0, 1.0]), period=4.0))
    at, px, py = put("at", rng.uniform(-900, 900, 30)), put("px", rng.uniform(-500, 500, 9)), put("py", rng.normal(size=9))
    put("interp_periodic", np.interp(at, px, py, period=360))
    for n in (2, 7, 12):
        for name in ("bartlett", "hanning", "hamming", "blackman"):
            put(f"{name}_{n}", getattr(np, name)(n))
        put(f"kaiser_{n}", np.kaiser(n, 8.6))
    p, q = put("p", np.array([2.0, -1.0, 0.5, 3.0])), put("pq", np.array([1.0, 4.0]))
    put("polyval", np.polyval(p, x))
    put("polyadd", np.polyadd(p, q))
    put("polysub", np.polysub(q, p))
    put("polymul", np.polymul(p, q))
    put("polyder", np.polyder(p))
    put("polyint", np.polyint(p, k=1.5))
    put("roots", np.sort(np.roots(np.concatenate(([0.0], p, [0.0])))))
    t = put("tx", np.linspace(-2, 3, 25))
    y = put("ty", np.stack((t**3 - t, np.sin(t)), axis=1))
    put("polyfit", np.polyfit(t, y, 3))
    put("polyfit_line", np.polyfit(t, y[:, 0], 1))
    put("vander", np.vander(t, 4))
    cases = [t < -1, t < 0, t < 2]
    put("select", np.select(cases, [t, t * 2, t * 3], 9.0))
    put("piecewise", np.piecewise(t, cases, [np.negative, np.square, lambda t: t + 1, lambda t: 0 * t - 5]))


def cells():
    points = put("points", rng.normal(size=(300, 3)))
    bounds = put("point_bounds", np.array([-1.5, -0.25, 0.5, 2.0]))
    counts, edges = np.histogramdd(points, bins=(3, bounds, 4), range=(None, None, (-1, 1)))
    put("histogramdd", counts.astype(np.int64))
    for k, part in enumerate(edges):
        put(f"histogramdd_{k}", part)
    put("apply_along", np.apply_along_axis(np.outer, 1, points[:4].reshape(2, 2, 3), np.array([1.0, -2.0])))


def distributions():
    """The bounds of twenty equally probable cells of each law, and the probabilities of counts."""
    inside = np.arange(1, 20) / 20
    laws = dict(
        chisquare=stats.chi2(3.5), chisquare_small=stats.chi2(0.7), f=stats.f(5, 12), standard_t=stats.t(2.5),
        standard_cauchy=stats.cauchy(), gumbel=stats.gumbel_r(1, 2), laplace=stats.laplace(-1, 0.5),
        logistic=stats.logistic(3, 0.25), rayleigh=stats.rayleigh(scale=2), weibull=stats.weibull_min(1.7),
        pareto=stats.lomax(3), power=stats.powerlaw(2.5), triangular=stats.triang(0.2, loc=-1, scale=5),
        wald=stats.invgauss(0.5, scale=4), dirichlet=stats.beta(0.5, 3.5),
        noncentral_chisquare=stats.ncx2(3.5, 2.5), noncentral_chisquare_small=stats.ncx2(0.4, 0.7),
        noncentral_f=stats.ncf(5, 12, 3), vonmises=stats.vonmises(0.3), vonmises_narrow=stats.vonmises(6),
        vonmises_far=stats.norm(scale=1e-5),
    )
    for name, law in laws.items():
        put(f"cells_{name}", law.ppf(inside))
    counts = dict(geometric=stats.geom(0.3), negative_binomial=stats.nbinom(3.5, 0.4), multinomial=stats.binom(20, 0.35),
        zipf=stats.zipf(2.5), zipf_steep=stats.zipf(9), zipf_flat=stats.zipf(1.2), logseries=stats.logser(0.4),
        logseries_flat=stats.logser(0.98), hypergeometric_few=stats.hypergeom(19, 7, 5),
        hypergeometric=stats.hypergeom(100, 30, 25), hypergeometric_good=stats.hypergeom(100, 70, 25),
        hypergeometric_most=stats.hypergeom(50, 20, 40), hypergeometric_huge=stats.hypergeom(10**9, 10**7, 1000),
        multivariate_hypergeometric=stats.hypergeom(100, 30, 35),
    )
    for name, law in counts.items():
        put(f"counts_{name}", law.pmf(np.arange(25)))


def names():
    """Bounds by rules for numbers of bins, distances to neighbours, polynomials, equations of tensors."""
    rng = np.random.default_rng(77)
    samples = dict(
        normal=np.round(rng.normal(3, 2, 150), 3), skewed=np.round(rng.exponential(2, 90), 3),
        flat=np.array([1.0, 1.0, 1.0, 1.0, 1.0, 9.0]), two=np.array([2.0, 5.0]), one=np.array([4.0]), none=np.zeros(0),
        whole=rng.integers(0, 40, 200), few=np.array([0, 0, 0, 1, 2, 3, 3, 4, 5]),
    )
    for name, sample in samples.items():
        put(f"sample_{name}", sample)
        rules = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            put(f"bins_{name}", np.array([len(np.histogram_bin_edges(sample, rule)) - 1 for rule in rules]))
            put(f"edges_{name}", np.histogram_bin_edges(sample, "auto").astype(float))
    odd = np.array([1.0, -1.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 3e-320, 1e300, -7.5, 2.0, np.finfo(float).max])
    with np.errstate(all="ignore"):
        put("odd", odd)
        put("spacing", np.spacing(odd))
        put("spacing_single", np.spacing(odd.astype(np.float32)))
    put("roots", np.array([0.5, -2.0, 3.0, 3.0, 0.0]))
    put("poly", np.poly([0.5, -2.0, 3.0, 3.0, 0.0]))
    put("roots_complex", np.array([1 + 2j, -0.5j, 3 + 0j]))
    put("poly_complex", np.poly([1 + 2j, -0.5j, 3 + 0j]))
    put("dividend", np.array([2.0, -3.0, 0.5, 7.0, -1.0, 4.0]))
    put("divisor", np.array([3.0, 1.0, -2.0]))
    quotient, rest = np.polydiv([2.0, -3.0, 0.5, 7.0, -1.0, 4.0], [3.0, 1.0, -2.0])
    put("quotient", quotient)
    put("remainder", rest)
    tensor = np.round(rng.normal(0, 1, (2, 3, 2, 3)), 3)
    put("tensor", tensor)
    put("tensor_right", np.round(rng.normal(0, 1, (2, 3)), 3))
    put("tensorinv", np.linalg.tensorinv(tensor, 2))
    put("tensorinv_1", np.linalg.tensorinv(tensor.reshape(6, 2, 3), 1))
    put("tensorsolve", np.linalg.tensorsolve(tensor, ARRAYS["tensor_right.f64"]))
    put("tensorsolve_axes", np.linalg.tensorsolve(tensor.transpose(2, 0, 1, 3), ARRAYS["tensor_right.f64"], axes=(0,)))
    one, two, below = np.arange(4).reshape(2, 2), np.full((2, 1), 8), np.array([5, 6, 7])
    put("block", np.block([[one, two], [below]]))
    put("block_deep", np.block([[one.reshape(1, 2, 2), two], [one[::-1], two]]))


def main():
    for part in (names, promotion, arithmetic, movement, numbers, algebra, sets, indices, positions, edits, series, distributions, cells):
        part()
    np.savez_compressed(pathlib.Path(__file__).with_name("standard.npz"), **ARRAYS)
    print(f"{len(ARRAYS)} arrays")


if __name__ == "__main__":
    main()
