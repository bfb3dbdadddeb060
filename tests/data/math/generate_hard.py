"""Writes the oracle files NAME_hard.bin: points where functions are hard to compute.

Rows as in generate.py: the arguments, then the value rounded from 60 digits.
Needs: numpy, mpmath.
"""
import os
import numpy as np
import mpmath as mp

mp.mp.dps = 60
HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(24)


def uni(a, b, n):
    return list(rng.uniform(a, b, n))


def logs(lo, hi, n, sign=False):
    v = 10.0 ** rng.uniform(lo, hi, n)
    return list(v * rng.choice([-1, 1], n) if sign else v)


def write(name, f, points):
    rows = []
    for p in points:
        args = p if isinstance(p, tuple) else (p,)
        rows.append(list(args) + [float(f(*[mp.mpf(float(a)) for a in args]))])
    np.array(rows, dtype='<f8').tofile(os.path.join(HERE, name + '_hard.bin'))


def root_near(f, lo, hi):
    sign = f(lo) > 0
    for _ in range(200):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if (f(middle) > 0) == sign else (lo, middle)
    return lo


def lgamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 100 else mp.loggamma(x)


def lgamma_points():
    out = [5e-324, -5e-324, 1e-310, 1e-291, -1e-291, 1e-289, 1.34e300, 2.55e305]
    out += logs(289, 305.4, 100) + logs(0, 289, 100) + logs(-320, 0, 100, True)
    out += list(1 + np.array(logs(-16, -1, 50, True))) + list(2 + np.array(logs(-16, -1, 50, True)))
    tiny = mp.mpf(10) ** -40
    for n in range(2, 17):
        half = mp.mpf(-n) - mp.mpf('0.5')
        for lo, hi in ((half, mp.mpf(-n) - tiny), (half - mp.mpf('0.5') + tiny, half)):
            root = root_near(lgamma, lo, hi)
            near, gap = float(root), float(abs(root - mp.nint(root)))
            out += [near, float(np.nextafter(near, 0)), float(np.nextafter(near, -99))]
            out += [near + gap * d for d in logs(-14, -0.5, 25, True) + [0.0078, -0.0078, 0.0079]]
    return [x for x in out if x > 0 or x != np.floor(x)] + uni(-30, 0, 200)


def opposite(n):
    """Arguments whose exponentials nearly add up to one."""
    out = [(-0.6931, -0.6931), (float(-mp.log(2)), float(-mp.log(2))), (-0.7, -0.7)]
    for x in uni(-0.69, -1e-3, n) + [-x for x in logs(-20, -1, n // 2)]:
        y = float(mp.log(-mp.expm1(mp.mpf(x))))
        out += [(x, y * (1 + d)) for d in logs(-12, -1, 2, True)] + [(y * (1 + 1e-10), x)]
    return out


def opposite2(n):
    ln2 = mp.log(2)
    scaled = [(float(x / ln2), float(y / ln2)) for x, y in ((mp.mpf(a), mp.mpf(b)) for a, b in opposite(n))]
    return scaled + [(-1.0, float(np.nextafter(-1.0, 0))), (-0.9999999, -1.0)]


def erfcinv(p):
    x = mp.mpf(0)
    if p < mp.mpf('1e-3'):
        x = mp.sqrt(-mp.log(p))
    for _ in range(80):
        # Newton's step on the logarithm, which converges from either side.
        e = mp.erfc(x)
        step = mp.log(e / p) * e * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) <= abs(x) * mp.mpf(10) ** -45:
            break
    return x


write('exp_m1', mp.expm1, uni(-1, 1, 600) + uni(0.3, 0.4, 300))
write('sinh', mp.sinh, uni(-1, 1, 600) + logs(-3, 0, 200, True))
write('tanh', mp.tanh, uni(-1, 1, 600) + uni(-22, 22, 100) + logs(-3, 0, 300, True))
write('tan', mp.tan, uni(-2.2, 2.2, 600) + uni(-1e4, 1e4, 300) + uni(-1e9, 1e9, 100))
write('erfc', mp.erfc, uni(0.49, 1, 600) + uni(1, 27, 300))
write('erfinv', mp.erfinv, uni(-1, 1, 300) + uni(0.4, 0.6, 200) + [1 - x for x in logs(-15, -1, 300)])
write('erfcinv', erfcinv, [x for x in uni(0.1, 0.99, 300)] + logs(-307, -1, 300) + uni(1.01, 1.99, 100))
write('gamma', mp.gamma, uni(171.5, 171.6243769563, 200) + [171.624, 171.62437695630271] + uni(-20, 30, 200))
write('lgamma', lgamma, lgamma_points())
write('logaddexp', lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), opposite(120) + list(zip(uni(-2, 2, 300), uni(-2, 2, 300))))
write('logaddexp2', lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2), opposite2(120) + list(zip(uni(-2, 2, 300), uni(-2, 2, 300))))

special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]
four = np.stack(np.meshgrid(*[special] * 4, indexing='ij'), -1).reshape(-1, 4)
a, b = np.empty(len(four), complex), np.empty(len(four), complex)
a.real, a.imag, b.real, b.imag = four.T
with np.errstate(all='ignore'):
    q = a / b
columns = np.column_stack([four, q.real, q.imag]).astype('<f8')
columns.tofile(os.path.join(HERE, 'complex_div_special.bin'))
