"""Reductions over every subset of axes, of 0-d, empty and one-extent shapes too.

Every case's params hold `axes` (a list, or null for all) and `keep`.
"""

import itertools

import numpy as np

from .cases import COMPLEX, EPS, FLOATS, INTS, NUMPY, PART, WIDE, Topic, rounded

CUBES = [(2, 3, 4), (3, 1, 5), (1, 1, 1)]


def placements(shape):
    """All subsets of the axes, as NumPy takes them; every other one counts from the end."""
    found = [None]
    for count in range(1, len(shape) + 1):
        for number, axes in enumerate(itertools.combinations(range(len(shape)), count)):
            found.append([a - len(shape) if number % 2 else a for a in axes])
    return found


def values(dtype, shape, rng, near_one=False):
    if dtype == "bool":
        return rng.random(shape) < 0.6
    if dtype in INTS:
        return rng.integers(0 if dtype[0] == "u" else -9, 10, shape).astype(NUMPY[dtype])
    x = 1 + 0.3 * rng.normal(0, 1, shape) if near_one else rng.normal(0, 3, shape)
    if dtype in COMPLEX:
        x = x + 1j * rng.normal(0, 1, shape)
    return rounded(x, dtype)


def total_dtype(dtype):
    """What NumPy's sum and product of a type have."""
    if dtype == "bool" or dtype in INTS:
        return "u64" if dtype[0] == "u" else "i64"
    return dtype


def norm(x, axis, keepdims, order):
    a = np.abs(x)
    if order == "inf":
        return a.max(axis=axis, keepdims=keepdims)
    return (a**order).sum(axis=axis, keepdims=keepdims) ** (np.longdouble(1) / order)


def logsumexp(x, axis, keepdims):
    """A slice of nothing but -inf gives -inf."""
    top = x.max(axis=axis, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0)
    result = np.log(np.exp(x - shift).sum(axis=axis, keepdims=True)) + shift
    shape = x.sum(axis=axis, keepdims=keepdims).shape
    return result.reshape(shape)


class Reducer:
    """Enters one array's reductions under one choice of axes."""

    def __init__(self, topic, x, dtype, axes, keep):
        self.topic, self.x, self.dtype = topic, x, dtype
        self.wide = x.astype(WIDE[dtype]) if dtype in WIDE else x
        self.axis = None if axes is None else tuple(axes)
        self.params = dict(axes=axes, keep=keep)
        self.options = dict(axis=self.axis, keepdims=keep)

    def enter(self, op, result, dtype, **tolerance):
        extra = tolerance.pop("params", {})
        self.topic.case(
            op, self.dtype, [(self.x, self.dtype)], [(result, dtype)], {**self.params, **extra}, **tolerance
        )

    def near(self):
        """Rounding grows with the sum of magnitudes, not with a result that may cancel."""
        eps = EPS.get(self.dtype, 0)
        finite = np.where(np.isfinite(self.x), np.abs(self.x), 0).astype(np.float64)
        return dict(rtol=16 * eps, atol=4 * eps * float(finite.sum()))

    def sums(self):
        own = total_dtype(self.dtype)
        kind = {} if self.dtype in WIDE else dict(dtype=NUMPY[own])
        self.enter("sum", self.wide.sum(**self.options, **kind), own, **self.near())

    def product(self):
        own = total_dtype(self.dtype)
        kind = {} if self.dtype in WIDE else dict(dtype=NUMPY[own])
        self.enter(
            "prod", self.wide.prod(**self.options, **kind), own, rtol=2 * (self.x.size + 4) * EPS.get(self.dtype, 0)
        )

    def extremes(self):
        for op in ("min", "max", "ptp"):
            if self.dtype == "bool" and op == "ptp":
                continue
            self.enter(op, getattr(np, op)(self.x, **self.options), self.dtype)

    def places(self):
        if self.axis is None or len(self.axis) == 1:
            axis = self.axis and self.axis[0]
            for op in ("argmin", "argmax"):
                self.enter(op, getattr(np, op)(self.x, axis=axis, keepdims=self.params["keep"]), "i64")

    def truths(self):
        for op in ("any", "all"):
            self.enter(op, getattr(np, op)(self.x, **self.options), "bool")
        self.enter("count_nonzero", np.count_nonzero(self.x, **self.options), "i64")

    def moments(self):
        self.enter("mean", self.wide.mean(**self.options), self.dtype, **self.near())
        if self.dtype in COMPLEX:
            return
        for op in ("var", "std"):
            for ddof in (0, 1):
                result = getattr(self.wide, op)(ddof=ddof, **self.options)
                self.enter(
                    op, result, self.dtype, params=dict(ddof=ddof), rtol=64 * EPS[self.dtype], atol=16 * EPS[self.dtype]
                )

    def norms(self):
        part = PART.get(self.dtype, self.dtype)
        for order in (1, 2, 3, "inf"):
            self.enter(
                "norm",
                norm(self.wide, order=order, **self.options),
                part,
                params=dict(ord=order),
                rtol=16 * EPS[self.dtype],
            )
        if self.dtype not in COMPLEX:
            self.enter("logsumexp", logsumexp(self.wide, **self.options), self.dtype, **self.near())

    def skipping(self):
        """The forms that leave NaN out."""
        self.enter("nansum", np.nansum(self.wide, **self.options), self.dtype, **self.near())
        self.enter(
            "nanprod", np.nanprod(self.wide, **self.options), self.dtype, rtol=2 * (self.x.size + 4) * EPS[self.dtype]
        )
        self.enter("nanmin", np.nanmin(self.x, **self.options), self.dtype)
        self.enter("nanmax", np.nanmax(self.x, **self.options), self.dtype)
        self.enter("nanmean", np.nanmean(self.wide, **self.options), self.dtype, **self.near())
        for op in ("nanvar", "nanstd"):
            for ddof in (0, 1):
                result = getattr(np, op)(self.wide, ddof=ddof, **self.options)
                self.enter(
                    op, result, self.dtype, params=dict(ddof=ddof), rtol=64 * EPS[self.dtype], atol=16 * EPS[self.dtype]
                )
        if self.axis is None or len(self.axis) == 1:
            axis = self.axis and self.axis[0]
            for op in ("nanargmin", "nanargmax"):
                self.enter(op, getattr(np, op)(self.x, axis=axis, keepdims=self.params["keep"]), "i64")


def every_axis(topic, dtype, shapes, rng):
    for shape in shapes:
        x, y = values(dtype, shape, rng), values(dtype, shape, rng, near_one=True)
        for number, axes in enumerate(placements(shape)):
            r = Reducer(topic, x, dtype, axes, keep=number % 2 == 1)
            r.sums(), Reducer(topic, y, dtype, axes, keep=number % 2 == 1).product()
            if dtype not in COMPLEX:
                r.extremes(), r.places()
            if dtype in ("bool", "i32", "f64"):
                r.truths()
            if dtype in FLOATS or dtype in COMPLEX:
                r.moments(), r.norms()


def with_nan(topic, dtype, rng):
    """Some NaN, none in the whole of a slice; the plain forms carry it, the others skip it."""
    x = values(dtype, (3, 4, 5), rng)
    x[0, 1, 2] = x[1, 0, 0] = x[2, 3, 4] = x[2, 1, 2] = np.nan
    for number, axes in enumerate(placements(x.shape)):
        r = Reducer(topic, x, dtype, axes, keep=number % 2 == 0)
        r.skipping(), r.sums(), r.extremes(), r.places(), r.moments()
    hole = np.full((2, 3), np.nan)
    hole[1] = [1, 2, np.nan]
    Reducer(topic, rounded(hole, dtype), dtype, [1], False).enter("nanmin", np.array([np.nan, 1]), dtype)
    Reducer(topic, rounded(hole, dtype), dtype, [1], False).enter("nansum", np.array([0, 3.0]), dtype)
    infinite = rounded(np.array([[-np.inf, -np.inf], [np.inf, 1.0], [-np.inf, 2.0]]), dtype)
    r = Reducer(topic, infinite, dtype, [1], False)
    r.enter("logsumexp", np.array([-np.inf, np.inf, 2.0]), dtype, rtol=4 * EPS[dtype])
    r.extremes(), r.places()


def empty(topic, dtype):
    """Sums and their kin have an identity; the rest must refuse."""
    for shape, axes in (((0,), None), ((0, 3), [0]), ((0, 3), [1]), ((2, 0, 3), [1]), ((2, 0, 3), [0, 2])):
        x, refuses = np.zeros(shape, NUMPY[dtype]), {}
        params = dict(axes=axes, keep=False)
        axis = None if axes is None else tuple(axes)
        result = dict(sum=total_dtype(dtype), prod=total_dtype(dtype), any="bool", all="bool", count_nonzero="i64")
        if dtype in FLOATS:
            result |= dict(mean=dtype, nansum=dtype)
        for op, out in result.items():
            topic.case(op, dtype, [(x, dtype)], [(getattr(np, op)(x, axis=axis), out)], params)
        for op in ("min", "max", "argmin", "argmax"):
            if op[0] == "a" and axes is not None and len(axes) > 1:
                continue
            try:
                refuses = None
                found = getattr(np, op)(x, axis=axis[0] if axis and op[0] == "a" else axis)
                refuses = [(found, "i64" if op[0] == "a" else dtype)]
            except ValueError:
                pass
            topic.case(op, dtype, [(x, dtype)], refuses, params)


def generate():
    topic, rng = Topic("reductions"), np.random.default_rng(4)
    every_axis(topic, "f64", [(), (7,), *CUBES, (2, 3, 2, 3)], rng)
    every_axis(topic, "f32", [(), (300,), CUBES[0], CUBES[1]], rng)
    for dtype in ["bool", *INTS, "f16", "bf16", *COMPLEX]:
        every_axis(topic, dtype, [CUBES[1]] if dtype not in ("i32", "c128") else CUBES, rng)
    for dtype in ("f16", "f32", "f64"):
        with_nan(topic, dtype, rng)
    for dtype in ("i32", "f64"):
        empty(topic, dtype)
    return topic
