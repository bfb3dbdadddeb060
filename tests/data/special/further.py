"""Writes further.npz: as special.npz, for distribution functions, Box and Cox's transforms, angles in
degrees, and more integrals and functions beside Γ; and under the names that begin with `edges_` SciPy's
values at special arguments.

Run with `python3 tests/data/special/further.py`, with mpmath, numpy and scipy installed.
"""

import itertools

import mpmath as mp
import numpy as np
import scipy.special as sp

import generate
from generate import (
    HERE, beta_density, gamma_density, inverse, lower_beta, lower_gamma, near, pairs, spread, table, uniform, upper_gamma,
)

rng = generate.rng = np.random.default_rng(31)


def trials(count):
    """Counts, numbers of trials and probabilities near what is likely, and some far from it."""
    rows = []
    for n in rng.choice([2, 5, 10, 40, 300, 5000], count).tolist():
        p = float(rng.choice([rng.uniform(0.01, 0.99), 10 ** rng.uniform(-5, -1)]))
        k = min(max(int(n * p + rng.normal(0, 3) * (n * p * (1 - p)) ** 0.5), 0), n - 1)
        rows.append((float(k), float(n), p))
    return rows


def solved(f, slope, start, goal):
    return inverse(f, slope, goal, mp.mpf(float(start)))


def discrete():
    rows = trials(110)
    table("bdtr", rows, lambda k, n, p: lower_beta(n - k, k + 1, 1 - p))
    table("bdtrc", rows, lambda k, n, p: lower_beta(k + 1, n - k, p))
    goals = [(k, n, float(y)) for (k, n, _), y in zip(rows[:60], uniform(0.001, 0.999, 60))]
    table("bdtri", goals, lambda k, n, y: solved(
        lambda p: -lower_beta(k + 1, n - k, p), lambda p: -beta_density(k + 1, n - k)(p), sp.bdtri(float(k), float(n), float(y)), y - 1))
    rows = [(k, max(1.0, float(round(n / 7))), p) for k, n, p in rows]
    rows = [(k, n, p) for k, n, p in rows if 1e-200 < sp.nbdtr(int(k), int(n), p)][:90]
    table("nbdtr", rows, lambda k, n, p: lower_beta(n, k + 1, p))
    table("nbdtrc", rows, lambda k, n, p: lower_beta(k + 1, n, 1 - p))
    goals = [(k, n, float(y)) for (k, n, _), y in zip(rows[:60], uniform(0.001, 0.999, 60))]
    table("nbdtri", goals, lambda k, n, y: solved(
        lambda p: lower_beta(n, k + 1, p), beta_density(n, k + 1), sp.nbdtri(int(k), int(n), float(y)), y))
    rows = [(float(max(0, int(m + z * m**0.5))), m) for m, z in zip(spread(1e-2, 1e4, 90), rng.normal(0, 3, 90))]
    table("pdtr", rows, lambda k, m: upper_gamma(k + 1, m))
    table("pdtrc", rows, lambda k, m: lower_gamma(k + 1, m))
    goals = [(k, float(y)) for (k, _), y in zip(rows[:60], uniform(0.001, 0.999, 60))]
    table("pdtri", goals, lambda k, y: solved(
        lambda m: -lower_gamma(k + 1, m), lambda m: -gamma_density(k + 1)(m), sp.pdtri(float(k), float(y)), y - 1))


def continuous():
    rows = [(v, abs(v + z * (2 * v) ** 0.5) + 1e-3) for v, z in zip(spread(0.1, 1e4, 80), rng.normal(0, 3, 80))]
    table("chdtr", rows, lambda v, x: lower_gamma(v / 2, x / 2))
    table("chdtrc", rows, lambda v, x: upper_gamma(v / 2, x / 2))
    goals = [(v, float(y)) for (v, _), y in zip(rows[:60], uniform(0.001, 0.999, 60))]
    table("chdtri", goals, lambda v, y: 2 * solved(
        lambda m: -lower_gamma(v / 2, m), lambda m: -gamma_density(v / 2)(m), sp.chdtri(float(v), float(y)) / 2, y - 1))
    rows = [(a, v, x / a) for a, (v, x) in zip(spread(1e-3, 1e3, 80), rows)]
    table("gdtr", rows, lambda a, b, x: lower_gamma(b, a * x))
    table("gdtrc", rows, lambda a, b, x: upper_gamma(b, a * x))
    sizes = spread(0.5, 300, 50)
    rows = [(a, b, float(np.exp(z * (2 / a + 2 / b) ** 0.5))) for (a, b), z in zip(pairs(sizes, sizes, 90), rng.normal(0, 2, 90))]
    part = lambda a, b, x: a * x / (b + a * x)
    table("fdtr", rows, lambda a, b, x: lower_beta(a / 2, b / 2, part(a, b, x)))
    table("fdtrc", rows, lambda a, b, x: lower_beta(b / 2, a / 2, b / (b + a * x)))
    goals = [(a, b, float(y)) for (a, b, _), y in zip(rows[:60], uniform(0.001, 0.999, 60))]

    def quantile(a, b, y):
        w = solved(lambda t: lower_beta(a / 2, b / 2, t), beta_density(a / 2, b / 2), sp.betaincinv(float(a / 2), float(b / 2), float(y)), y)
        return b * w / (a * (1 - w))

    table("fdtri", goals, quantile)


def transforms():
    power = lambda y, p: mp.expm1(p * y) / p if p else y
    root = lambda y, p: mp.log1p(p * y) / p if p else y
    powers = uniform(-4, 4, 30) + spread(1e-12, 1, 15) + [0.0, 1.0, -1.0, 2.0]
    x = spread(1e-10, 1e10, 50) + near(1.0)
    table("boxcox", pairs(x, powers, 110), lambda x, p: power(mp.log(x), p))
    small = spread(1e-200, 1, 20) + [-v for v in spread(1e-20, 0.9, 20)] + spread(1, 1e10, 20)
    table("boxcox1p", pairs(small, powers, 110), lambda x, p: power(mp.log1p(x), p))
    rows = [(y, p) for y, p in pairs(uniform(-3, 5, 40) + spread(1e-20, 1, 20), powers, 200) if p * y > -0.9]
    table("inv_boxcox", rows[:110], lambda y, p: mp.exp(root(y, p)))
    table("inv_boxcox1p", rows[:110], lambda y, p: mp.expm1(root(y, p)))
    table("cosm1", spread(1e-100, 3, 50) + uniform(-20, 20, 40) + near(2 * np.pi), lambda x: mp.cos(x) - 1, 260)
    table("exprel", spread(1e-20, 700, 40) + [-v for v in spread(1e-20, 1e4, 40)] + uniform(700, 716, 10), lambda x: mp.expm1(x) / x, 80)
    angles = uniform(-720, 720, 60) + spread(1e-20, 1e15, 30) + near(30.0, 90.0, 180.0)
    angle = lambda x: mp.pi * (mp.mpf(x) % 360) / 180
    table("sindg", angles, lambda x: mp.sin(angle(x)) if x % 180 else mp.mpf(0), 60)
    table("cosdg", angles, lambda x: mp.cos(angle(x)) if (x - 90) % 180 else mp.mpf(0), 60)
    angles = [x for x in angles if x % 90]
    table("tandg", angles, lambda x: mp.tan(angle(x)), 60)
    table("cotdg", angles, lambda x: mp.cot(angle(x)), 60)
    table("radian", [(float(d), float(m), s) for d, m, s in zip(range(40), rng.integers(0, 60, 40), uniform(0, 60, 40))],
          lambda d, m, s: (d + m / 60 + s / 3600) * mp.pi / 180)


def beside_gamma():
    table("gammasgn", uniform(-30, 5, 40), lambda x: mp.sign(mp.gamma(x)))
    x = uniform(-170, 171, 60) + uniform(170, 177, 20) + uniform(-176, -150, 20) + spread(1e-10, 1, 10) + near(-1.0, -20.0)
    table("rgamma", x, mp.rgamma)
    table("loggamma", spread(1e-10, 1e10, 40) + near(1.0, 2.0), mp.loggamma)
    rows = [(float(a + (d - 1) / 2), int(d)) for a, d in pairs(spread(1e-2, 1e3, 30), [1, 2, 3, 5, 10], 60)]
    table("multigammaln", rows, lambda a, d: d * (d - 1) / mp.mpf(4) * mp.log(mp.pi) + sum(mp.loggamma(a - mp.mpf(j) / 2) for j in range(d)))
    table("zetac", uniform(1, 60, 40) + spread(60, 900, 20) + uniform(-12, 1, 40) + near(1.0, 0.0), lambda x: mp.zeta(x) - 1, 340)


def integrals():
    x = spread(1e-10, 1e10, 60) + uniform(0, 14, 60) + near(12.0) + uniform(-26, 0, 30)
    table("erfcx", x, lambda x: mp.exp(x * x) * mp.erfc(x) if x < 1e3 else mp.mpf(1) / x / mp.sqrt(mp.pi) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4)), 60)
    rows = [(int(n), v) for n, v in pairs([0, 1, 2, 3, 5, 10, 24, 25, 60, 1000], spread(1e-8, 600, 50) + uniform(0.1, 5, 50) + near(1.0), 150)]
    table("expn", rows, lambda n, x: mp.expint(n, x), 200)
    x = spread(1e-10, 1e10, 50) + uniform(0, 30, 60) + near(3.0) + [-1.5, -10.0]
    table("sici", x, lambda x: (mp.si(x), mp.re(mp.ci(abs(x)))))
    x = spread(1e-10, 690, 50) + uniform(0, 10, 50) + near(3.0) + [-1.5, -10.0]
    table("shichi", x, lambda x: (mp.shi(x), mp.re(mp.chi(abs(x)))))
    rows = [(int(n), v) for n, v in pairs([0, 1, 2, 3, 7, 20], spread(1e-2, 1e3, 50) + uniform(-20, 20, 50), 120)]
    table("spherical_yn", rows, lambda n, x: (1 if x > 0 else (-1) ** (n + 1)) * mp.sqrt(mp.pi / (2 * abs(x))) * mp.bessely(n + mp.mpf(1) / 2, abs(x)))


# Where SciPy's values of infinities are limits, and not signs of lost digits.
LIMITS = "cosm1 exprel gammasgn rgamma loggamma zetac erfcx sici shichi"


def edges():
    points = [0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, np.inf, -np.inf, np.nan]
    found = {}
    names = [LIMITS + " sindg cosdg tandg cotdg", "boxcox boxcox1p inv_boxcox inv_boxcox1p pdtr pdtrc pdtri chdtr chdtrc chdtri",
             "gdtr gdtrc fdtr fdtrc fdtri bdtr bdtrc"]
    for n, line in enumerate(names, 1):
        grid = np.array(list(itertools.product(points if n < 3 else [0.0, 1.0, -1.0, 2.0, 0.5, np.nan], repeat=n))).T
        for name in line.split():
            with np.errstate(all="ignore"):
                values = getattr(sp, name)(*grid)
            values = values if isinstance(values, tuple) else (values,)
            rows = np.column_stack([*grid, *values])
            # NaN gives NaN here, and no degrees of freedom give no inverse in SciPy.
            rows = rows[~(np.isnan(grid).any(axis=0) & ~np.isnan(rows[:, n]))]
            if name == "chdtri":
                rows = rows[rows[:, 0] != 0]
            if name not in LIMITS.split():
                rows = rows[~np.isinf(rows[:, :n]).any(axis=1)]
            found[f"edges_{name}"] = rows
    return found


if __name__ == "__main__":
    for make in (transforms, beside_gamma, integrals, discrete, continuous):
        make()
    both = {**generate.tables, **edges()}
    np.savez_compressed(HERE / "further.npz", **{f"{name}.f64": rows for name, rows in both.items()})
