"""Writes special.npz: arguments and values of special functions, computed by mpmath with as many
digits as they need and rounded once, and edges.npz: values at special arguments by SciPy.

Run with `python3 tests/data/special/generate.py`, with mpmath, numpy and scipy installed. An array's
columns are a function's arguments and then its results.
"""

from pathlib import Path

import mpmath as mp
import numpy as np
import scipy.special as sp

HERE = Path(__file__).parent
rng = np.random.default_rng(30)
mp.mp.dps = 40


def near(*points):
    """Doubles near each point, at distances from 1e-13 to 0.1."""
    off = [s * 10.0 ** -k for k in (1, 3, 6, 9, 13) for s in (1, -1)]
    return [p + o for p in points for o in off] + list(points)


def uniform(low, high, n):
    return list(rng.uniform(low, high, n))


def spread(low, high, n):
    """Positive numbers of every size between two."""
    return list(10 ** rng.uniform(np.log10(low), np.log10(high), n))


def pairs(a, b, n):
    return list(zip(rng.choice(a, n).tolist(), rng.choice(b, n).tolist()))


def lower_gamma(a, x):
    """The regularised lower incomplete gamma function by its series, whose terms are positive."""
    a, x = mp.mpf(a), mp.mpf(x)
    term, total, n = mp.mpf(1), mp.mpf(1), a
    while True:
        n += 1
        term *= x / n
        total += term
        if n > x and term < total * mp.mpf(10) ** -mp.mp.dps:
            break
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1)) * total


def less_than_one(value, estimate):
    """One less a value, with the digits that a result of about this size needs."""
    digits = 40 - int(np.log10(max(float(estimate), 1e-300)))
    with mp.workdps(digits):
        return 1 - value()


def upper_gamma(a, x):
    return less_than_one(lambda: lower_gamma(a, x), sp.gammaincc(float(a), float(x)))


def lower_beta(a, b, x):
    a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
    if x > (a + 1) / (a + b + 2):
        estimate = sp.betainc(float(a), float(b), float(x))
        return less_than_one(lambda: series_beta(b, a, 1 - x), estimate)
    return series_beta(a, b, x)


def series_beta(a, b, x):
    """DLMF 8.17.8, whose terms are positive."""
    term, total, n = mp.mpf(1), mp.mpf(1), 0
    while True:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
        if term < total * mp.mpf(10) ** -mp.mp.dps and (a + b + n) * x < a + 1 + n:
            break
    powers = a * mp.log(x) + b * mp.log1p(-x)
    return mp.exp(powers - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)) / a * total


def upper_beta(a, b, x):
    with mp.workdps(340):
        rest = 1 - mp.mpf(x)
    return lower_beta(b, a, rest)


def inverse(f, slope, goal, start):
    """Newton's method from a point nearby, with the goal as the double that it is."""
    x = mp.mpf(start)
    for _ in range(8):
        step = (f(x) - mp.mpf(goal)) / slope(x)
        x -= step
        if abs(step) < abs(x) * mp.mpf(10) ** -25:
            break
    return x


def gamma_density(a):
    return lambda x: mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def beta_density(a, b):
    norm = mp.loggamma(mp.mpf(a) + b) - mp.loggamma(a) - mp.loggamma(b)
    return lambda x: mp.exp((mp.mpf(a) - 1) * mp.log(x) + (mp.mpf(b) - 1) * mp.log1p(-x) + norm)


tables = {}


def table(name, rows, f, digits=40):
    """Keeps what has a normal double as its value, or one that is exactly zero."""
    kept = []
    for row in rows:
        row = row if isinstance(row, tuple) else (row,)
        try:
            with mp.workdps(digits):
                values = f(*[mp.mpf(v) if isinstance(v, float) else v for v in row])
        except (ValueError, ZeroDivisionError):
            continue  # a pole
        values = values if isinstance(values, tuple) else (values,)
        values = [mp.re(mp.mpc(v)) for v in values]
        if all(v == 0 or 1e-300 < abs(v) < 1.7e308 for v in values):
            kept.append([float(v) for v in row] + [float(v) for v in values])
    tables[name] = np.array(kept)
    print(name, tables[name].shape, flush=True)


def gammas():
    table(
        "digamma",
        spread(1e-10, 1e12, 60) + uniform(0.5, 12, 120) + near(1.4616321449683623, 1.0, 2.0, 10.0)
        + uniform(-30, 0, 80) + uniform(-1e6, -30, 10),
        mp.digamma,
    )
    table(
        "polygamma",
        [(int(n), x) for n, x in pairs([1, 2, 3, 5, 10, 20], spread(1e-3, 1e6, 40) + uniform(0.5, 30, 40), 160)]
        + [(int(n), x) for n, x in pairs([1, 2, 3, 4, 7], uniform(-20, 0, 40), 60)],
        lambda n, x: mp.psi(n, x),
    )
    table(
        "zeta",
        uniform(-1, 1, 60) + uniform(1, 60, 60) + near(1.0, 0.0) + uniform(-30, -1, 60)
        + uniform(-200, -30, 20) + spread(1e-10, 1e-2, 10),
        mp.zeta,
    )
    table(
        "zeta_hurwitz",
        pairs(uniform(1.01, 5, 30) + uniform(5, 60, 30) + [1.0000001, 2.0, 3.0], spread(1e-3, 1e6, 60), 150)
        + pairs([2.0, 3.0, 4.0, 7.0], uniform(-20, 0, 40), 50),
        lambda s, q: mp.zeta(s, q) if q > 0 else (-1) ** int(s) * mp.psi(int(s) - 1, q) / mp.factorial(s - 1),
        320,
    )
    positive = spread(1e-6, 1e6, 60) + uniform(0.1, 200, 60)
    table("beta", pairs(positive, positive, 220) + pairs(uniform(-10, 0, 20), uniform(0, 10, 20), 40), mp.beta)
    table("betaln", pairs(positive + spread(1e6, 1e200, 10), positive, 240), lambda a, b: mp.log(mp.beta(a, b)), 260)
    whole = [float(k) for k in list(range(40)) + [60, 100, 500, 1000]]
    table(
        "binom",
        [(n, k) for n, k in pairs(whole, whole, 100) if k <= n]
        + pairs(uniform(0, 50, 40), uniform(-9, 50, 40), 80) + pairs(uniform(-5, 300, 40), whole[:12], 60),
        mp.binomial,
    )
    table("factorial", whole[:44] + uniform(0, 170, 40), mp.factorial)
    table("factorial2", [float(k) for k in range(0, 300, 7)], mp.fac2)
    table("poch", pairs(uniform(0.1, 100, 40), uniform(0, 30, 40), 80) + pairs(spread(1, 1e6, 20), uniform(-0.9, 12, 30), 60), mp.rf)


def incomplete():
    order = spread(1e-6, 1, 30) + uniform(0.1, 30, 60) + spread(10, 1e4, 60)
    rows = []
    for a in order:
        width = max(a**0.5, 0.3 * min(a, 1.0))
        for z in rng.normal(0, 3, 3):
            rows.append((a, float(abs(a + z * width)) + 1e-3 * min(1.0, a)))
    rows += pairs(spread(1e-3, 20, 30), spread(1e-8, 300, 40), 120)
    rows += [(a, a * f) for a in (120.0, 1000.0, 1e5) for f in (0.75, 0.9, 0.99, 0.999, 1.0, 1.001, 1.01, 1.1, 1.25)]
    table("gammainc", rows, lower_gamma)
    table("gammaincc", rows, upper_gamma)
    low, high = [], []
    for a, x in rows[::2]:
        p, q = float(lower_gamma(a, x)), float(upper_gamma(a, x))
        if 1e-250 < p < 0.9:
            low.append((a, p, x))
        if 1e-250 < q < 0.9:
            high.append((a, q, x))
    table_of_inverse("gammaincinv", low, lambda a, p, x: inverse(lambda t: lower_gamma(a, t), gamma_density(a), p, x))
    table_of_inverse(
        "gammainccinv", high, lambda a, q, x: inverse(lambda t: -upper_gamma(a, t), gamma_density(a), -mp.mpf(q), x)
    )
    sizes = spread(1e-2, 10, 40) + spread(1, 1e4, 60)
    rows = []
    for a, b in pairs(sizes, sizes, 200):
        mean, sd = a / (a + b), (a * b / (a + b) ** 2 / (a + b + 1)) ** 0.5
        for z in rng.normal(0, 2, 2):
            x = float(mean + z * sd)
            if 0 < x < 1:
                rows.append((a, b, x))
    rows += [(a, b, x) for (a, b), x in zip(pairs(sizes[:40], sizes[:40], 80), spread(1e-10, 0.99, 80))]
    table("betainc", rows, lower_beta)
    table("betaincc", rows, upper_beta)
    low, high = [], []
    for a, b, x in rows[::4]:
        p, q = float(lower_beta(a, b, x)), float(upper_beta(a, b, x))
        if 1e-100 < p < 0.9:
            low.append((a, b, p, x))
        if 1e-100 < q < 0.9:
            high.append((a, b, q, x))
    for (a, b), p in zip(pairs(spread(0.2, 1e4, 40), spread(0.2, 1e4, 40), 40), spread(1e-60, 0.9, 40)):
        low.append((a, b, p, float(sp.betaincinv(a, b, p))))
        high.append((a, b, p, float(sp.betainccinv(a, b, p))))
    table_of_inverse(
        "betaincinv", low, lambda a, b, p, x: inverse(lambda t: lower_beta(a, b, t), beta_density(a, b), p, x)
    )
    table_of_inverse(
        "betainccinv", high,
        lambda a, b, q, x: inverse(lambda t: -upper_beta(a, b, t), beta_density(a, b), -mp.mpf(q), x),
    )


def table_of_inverse(name, rows, f):
    """As `table`, of rows that end with a point near the result."""
    starts = {row[:-1]: row[-1] for row in rows}
    table(name, list(starts), lambda *args: f(*[float(v) for v in args], starts[tuple(float(v) for v in args)]))


def normal():
    x = uniform(-38, 8, 120) + uniform(-2, 2, 60) + near(0.0, -1.0)
    table("ndtr", x, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2)
    table(
        "log_ndtr", x + [-float(v) for v in spread(30, 1e10, 20)] + uniform(5, 30, 20),
        lambda x: mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2) if x > -30 else mp.log(mp.erfc(-x / mp.sqrt(2)) / 2), 400,
    )
    density = lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
    p = spread(1e-290, 0.4, 80) + uniform(0, 1, 80) + near(0.5)
    table("ndtri", p, lambda p: inverse(lambda t: mp.erfc(-t / mp.sqrt(2)) / 2, density, p, sp.ndtri(float(p))) if p != 0.5 else mp.mpf(0), 330)


def exponential():
    x = spread(1e-10, 700, 100) + uniform(0.1, 12, 100) + near(1.0, 3.0, 10.0)
    table("exp1", x, mp.e1)
    table("expi", x + near(0.3725074107813666, 6.0, 20.0, 40.0) + [-v for v in spread(1e-5, 600, 30)], mp.ei)
    branch = -float(mp.exp(-1))
    close = [branch + d for d in spread(1e-16, 0.3, 60)]
    table("lambertw", close + spread(1e-10, 1e300, 80) + [-v for v in spread(1e-10, 0.3, 30)] + near(0.0, 1.0), lambda x: mp.lambertw(x, 0))
    table("lambertw_lower", close + [-v for v in spread(1e-300, 0.36, 80)], lambda x: mp.lambertw(x, -1))


def bessel():
    x = spread(1e-8, 690, 80) + uniform(0.1, 6, 60) + near(2.0)
    for name, f in [
        ("k0", lambda x: mp.besselk(0, x)), ("k1", lambda x: mp.besselk(1, x)),
        ("k0e", lambda x: mp.besselk(0, x) * mp.exp(x)), ("k1e", lambda x: mp.besselk(1, x) * mp.exp(x)),
        ("i0e", lambda x: mp.besseli(0, x) * mp.exp(-abs(x))), ("i1e", lambda x: mp.besseli(1, x) * mp.exp(-abs(x))),
    ]:
        table(name, x + spread(690, 1e10, 10) + ([-v for v in x[:10]] if name[0] == "i" else []), f)
    x = spread(1e-3, 1e3, 50) + uniform(0.1, 40, 50)
    whole = [(int(n), v) for n, v in pairs([0, 1, 2, 3, 5, 8, 20, 50, -3], x, 160)]
    table("jn", whole + [(3, -2.5), (4, -2.5)], lambda n, x: mp.besselj(n, x))
    table("yn", whole, lambda n, x: mp.bessely(n, x))
    table("kn", whole, lambda n, x: mp.besselk(n, x))
    orders = uniform(0, 3, 30) + uniform(0, 60, 30) + [0.0, 0.5, 1.0, 1.5, 2.0, 1e-6, 0.4999999, 150.3]
    rows = pairs(orders, x, 200) + pairs([-v for v in orders[:20]], x, 40)
    table("jv", rows, mp.besselj)
    table("yv", rows, mp.bessely)
    table("iv", rows, mp.besseli)
    table("kv", rows, mp.besselk)
    table("ive", rows, lambda v, x: mp.besseli(v, x) * mp.exp(-x))
    table("kve", rows, lambda v, x: mp.besselk(v, x) * mp.exp(x))


def elliptic():
    m = uniform(0, 1, 60) + [1 - v for v in spread(1e-15, 0.1, 30)] + [-v for v in spread(1e-3, 1e6, 30)] + [0.0, 0.5]
    table("ellipk", m, mp.ellipk)
    table("ellipkm1", spread(1e-300, 1, 60), lambda p: mp.ellipk(1 - p), 360)
    table("ellipe", m, mp.ellipe)
    phi = uniform(-1.57, 1.57, 60) + spread(1e-6, 1, 20) + uniform(-30, 30, 30)
    rows = pairs(phi, m, 200)
    table("ellipkinc", rows, mp.ellipf)
    table("ellipeinc", rows, lambda p, m: mp.ellipe(p, m))
    u = uniform(-5, 5, 40) + uniform(0, 1, 40)
    table(
        "ellipj", pairs(u, [v for v in m if 0 <= v < 0.9999], 120),
        lambda u, m: tuple(mp.ellipfun(kind, u, m=m) for kind in ("sn", "cn", "dn")),
    )


def legendre():
    x = uniform(-1, 1, 60) + near(1.0, 0.0)
    x = [v for v in x if abs(v) <= 1]
    rows = [(int(n), v) for n, v in pairs([0, 1, 2, 3, 5, 10, 30, 100], x, 160)]
    table("legendre_p", rows, lambda n, x: mp.legendre(n, x))
    orders = [(int(n), int(m)) for n in (0, 1, 2, 5, 12) for m in range(-n, n + 1)]
    rows = [(*orders[k % len(orders)], float(v)) for k, v in enumerate(uniform(-1, 1, 150))]
    table("assoc_legendre_p", rows, lambda n, m, x: mp.legenp(n, m, x, type=2))
    orders += [(40, 3), (40, -37), (40, 40)]
    rows = [(*orders[k % len(orders)], t, p) for k, (t, p) in enumerate(zip(uniform(0.01, 3.13, 150), uniform(-6, 6, 150)))]
    table("sph_harm_y", rows, lambda n, m, t, p: (lambda z: (mp.re(z), mp.im(z)))(mp.spherharm(n, m, t, p)))


def agreed(name, *row):
    """Whether SciPy's value is what a limit or the function's symmetry gives."""
    *arguments, value = row
    if any(np.isnan(arguments)) and not np.isnan(value):
        return False
    a = arguments[0]
    if name in ("beta", "betaln"):
        return min(arguments) >= 0 and min(arguments) < np.inf
    if name in ("gammaincinv", "gammainccinv"):
        return a != 0 and not np.isinf(a)
    if name in ("jv", "yv", "iv", "kv"):
        x = arguments[1]
        return not np.isinf(a) and not np.isinf(x) and not (name == "yv" and a == -2.5 and x == 0)
    if name in ("ellipkinc", "ellipeinc"):
        return not np.isinf(a) and arguments[1] > -np.inf and not (abs(a) > 2 and arguments[1] == 1)
    if name == "pseudo_huber":
        return not np.isinf(a)
    if name in ("betaincinv", "kl_div"):
        return not any(np.isinf(arguments))
    return True


def edges():
    """SciPy's values where arguments are zero, infinite, NaN or out of the domain."""
    points = [0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, np.inf, -np.inf, np.nan]
    one = "digamma zeta ndtr ndtri log_ndtr exp1 expi k0 k1 k0e k1e i0e i1e ellipk ellipkm1 ellipe entr expit logit log_expit".split()
    two = "gammainc gammaincc gammaincinv gammainccinv beta betaln xlogy xlog1py rel_entr kl_div huber pseudo_huber jv yv iv kv ellipkinc ellipeinc".split()
    three = "betainc betaincc betaincinv".split()
    found = {}
    for names, n in ((one, 1), (two, 2), (three, 3)):
        grid = np.array(np.meshgrid(*[points] * n, indexing="ij")).reshape(n, -1)
        for name in names:
            f = getattr(sp, name)
            with np.errstate(all="ignore"):
                rows = np.column_stack([*grid, f(*grid)])
            found[name] = np.array([row for row in rows if agreed(name, *row)])
    np.savez_compressed(HERE / "edges.npz", **{f"{name}.f64": rows for name, rows in found.items()})


if __name__ == "__main__":
    edges()
    for make in (normal, exponential, gammas, bessel, elliptic, legendre, incomplete):
        make()
    np.savez_compressed(HERE / "special.npz", **{f"{name}.f64": rows for name, rows in tables.items()})
