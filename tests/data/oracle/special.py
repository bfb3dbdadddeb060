"""The special functions, from mpmath at a hundred digits."""

import mpmath
import numpy as np

from .cases import EPS, Topic, rounded

mpmath.mp.dps = 100  # The inverse functions lose digits near their poles.


def evaluate(function, x):
    """Values as long doubles; a pole or an argument outside the domain must not reach this."""
    return np.array([np.longdouble(mpmath.nstr(function(mpmath.mpf(float(v))), 30)) for v in x], np.longdouble)


def erfcinv(x):
    return mpmath.erfinv(1 - x)


def log_gamma(x):
    return mpmath.log(abs(mpmath.gamma(x)))


FUNCTIONS = {
    # name: function, low, high, extra arguments, ulp, special arguments with their results
    "erf": (mpmath.erf, -6, 6, [1e-300, -1e-20, 1e-8], 4, {np.inf: 1, -np.inf: -1, 0.0: 0}),
    "erfc": (mpmath.erfc, -6, 26, [1e-20, -1e-8], 6, {np.inf: 0, -np.inf: 2}),
    "erfinv": (
        mpmath.erfinv,
        -0.999,
        0.999,
        [1e-20, 1 - 2.0**-20, -(1 - 2.0**-24)],
        8,
        {1.0: np.inf, -1.0: -np.inf, 2.0: np.nan},
    ),
    "erfcinv": (erfcinv, 0.01, 1.99, [1e-30, 1e-10], 8, {0.0: np.inf, 2.0: -np.inf, -1.0: np.nan}),
    "gamma": (mpmath.gamma, 0.02, 33, [1.0, 2.0, 5.0, -0.5, -1.5, -2.25, 1e-10], 10, {np.inf: np.inf, 0.0: np.inf}),
    "gammaln": (
        log_gamma,
        0.02,
        80,
        [1.0, 2.0, 1.0001, 1.9999, 1e6, -0.5, -1.75],
        10,
        {np.inf: np.inf, 0.0: np.inf, -3.0: np.inf},
    ),
    "i0": (lambda x: mpmath.besseli(0, x), -50, 50, [1e-10], 8, {0.0: 1}),
    "i1": (lambda x: mpmath.besseli(1, x), -50, 50, [1e-10], 8, {0.0: 0}),
}
BESSEL = {
    "j0": (lambda x: mpmath.besselj(0, x), -1),
    "j1": (lambda x: mpmath.besselj(1, x), -1),
    "y0": (lambda x: mpmath.bessely(0, x), 0),
    "y1": (lambda x: mpmath.bessely(1, x), 0),
}


def plain(topic, dtype, rng):
    for name, (function, low, high, extra, ulp, known) in FUNCTIONS.items():
        if dtype == "f32":
            extra = [v for v in extra if abs(v) > 1e-37]
            high = min(high, 9) if name == "erfc" else high
        x = rounded(
            np.concatenate(
                [rng.uniform(low, high, 48), rng.uniform(-1, 1, 16) * min(1, high) if low < 0 else [], extra]
            ),
            dtype,
        )
        values = np.concatenate([evaluate(function, x), [*known.values(), np.nan]])
        x = np.concatenate([x, [*known, np.nan]])
        topic.case(
            name, dtype, [(x, dtype)], [(values, dtype)], ulp=ulp, atol=2 * EPS[dtype] if name == "gammaln" else 0
        )


def bessel(topic, dtype, rng):
    """Close to zero they are precise; further out the phase's rounding leaves an absolute error."""
    far_error = {"f32": 2.5e-6, "f64": 1e-11}[dtype]
    for name, (function, side) in BESSEL.items():
        for place, low, high, atol in (("near", 0.05, 8, 4 * EPS[dtype]), ("far", 8, 60, far_error)):
            x = rng.uniform(low, high, 40) * np.where(np.arange(40) % 4 == 0, side or 1, 1)
            x = rounded(x, dtype)
            topic.case(
                name, dtype, [(x, dtype)], [(evaluate(function, x), dtype)], dict(range=place), ulp=16, atol=atol
            )
    limit = [(np.array([0.0, -1.0, np.inf, np.nan]), dtype)]
    topic.case("y0", dtype, limit, [(np.array([-np.inf, np.nan, 0, np.nan]), dtype)], dict(range="limits"))
    topic.case("y1", dtype, limit, [(np.array([-np.inf, np.nan, 0, np.nan]), dtype)], dict(range="limits"))


def generate():
    topic, rng = Topic("special"), np.random.default_rng(3)
    for dtype in ("f32", "f64"):
        plain(topic, dtype, rng)
        bessel(topic, dtype, rng)
    return topic
