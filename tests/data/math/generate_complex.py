"""Writes the oracle files of the complex functions: columns re, im of each argument, then of the value.

Arguments with a zero, infinite or NaN part take NumPy's value (C99 annex G), the others mpmath's.
Needs: numpy, mpmath.
"""
import os
import numpy as np
import mpmath as mp

mp.mp.prec = 3000
HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan]


def part(v):
    v = mp.mpf(v)
    try:
        if v != 0 and abs(v) < mp.mpf(2) ** -1022:
            return float(np.copysign(np.ldexp(float(mp.nint(v * mp.mpf(2) ** 1074)), -1074), int(mp.sign(v))))
        return float(v)
    except OverflowError:
        return float('inf') if v > 0 else float('-inf')


def sign(n):
    return rng.choice([-1, 1], n)


def plane(n, lo, hi):
    r, t = 10.0 ** rng.uniform(lo, hi, n), rng.uniform(-np.pi, np.pi, n)
    return list(r * np.cos(t) + 1j * r * np.sin(t))


def loose(n, lo, hi):
    return list(sign(n) * 10.0 ** rng.uniform(lo, hi, n) + 1j * (sign(n) * 10.0 ** rng.uniform(lo, hi, n)))


def circle(n):
    t = rng.uniform(-np.pi, np.pi, n)
    return list((1 + sign(n) * 10.0 ** rng.uniform(-16, -1, n)) * np.exp(1j * t))


def near(c, n):
    return [c + d for d in plane(n, -15, -1)]


COMMON = plane(100, -2, 1) + loose(60, -10, 1) + circle(40) + near(1, 20) + near(-1, 20) + near(1j, 20) + near(-1j, 20)
FAR = loose(30, -300, 300) + plane(30, 150, 307) + plane(20, -307, -150) + [complex(1.7e308, 1.6e308), complex(1e308, -1.7e308), complex(5e-324, 5e-324)]
GRID = [complex(a, b) for a in SPECIAL for b in SPECIAL]


def write(name, f, fallback, points):
    rows = []
    for p in points:
        args = p if isinstance(p, tuple) else (p,)
        parts = [v for a in args for v in (a.real, a.imag)]
        if all(np.isfinite(v) and v != 0 for v in parts):
            w = f(*[mp.mpc(a.real, a.imag) for a in args])
            value = [part(mp.re(w)), part(mp.im(w))]
        else:
            with np.errstate(all='ignore'):
                w = fallback(*[np.complex128(a) for a in args])
            value = [float(w.real), float(w.imag)]
        rows.append(parts + value)
    np.array(rows, dtype='<f8').tofile(os.path.join(HERE, 'complex_' + name + '.bin'))


BIG = [complex(x, y) for x, y in zip(rng.uniform(-712, 712, 40), rng.uniform(-30, 30, 40))] + [complex(709.9, 0.7), complex(710.4, -2.2), complex(-744.0, 1.0), complex(1400.0, 1e-300)]
for name, ref in (('exp', np.exp), ('sinh', np.sinh), ('cosh', np.cosh), ('tanh', np.tanh)):
    write(name, getattr(mp, name), ref, GRID + COMMON + BIG)
for name, ref in (('sin', np.sin), ('cos', np.cos), ('tan', np.tan)):
    write(name, getattr(mp, name), ref, GRID + COMMON + [z.imag + 1j * z.real for z in BIG])
for name, ref in (('sqrt', np.sqrt), ('ln', np.log), ('log2', np.log2), ('log10', np.log10)):
    f = {'sqrt': mp.sqrt, 'ln': mp.log, 'log2': lambda z: mp.log(z) / mp.log(2), 'log10': lambda z: mp.log(z) / mp.log(10)}[name]
    write(name, f, ref, GRID + COMMON + FAR)
for name in ('asin', 'acos', 'atan', 'asinh', 'acosh', 'atanh'):
    write(name, getattr(mp, name), getattr(np, 'arc' + name[1:]), GRID + COMMON + FAR)
pairs = [(a, b) for a, b in zip(plane(120, -1, 1), plane(120, -1, 1))]
write('pow', mp.power, np.power, pairs)
write('div', lambda a, b: a / b, np.divide, list(zip(plane(80, -2, 2), plane(80, -2, 2))) + list(zip(plane(30, 100, 150), plane(30, -150, 150))) + list(zip(plane(30, 307, 308.2), plane(30, 306.5, 308.2))) + list(zip(plane(30, -307, -290), plane(30, -307, -290))))
write('mul', lambda a, b: a * b, np.multiply, list(zip(plane(80, -2, 2), plane(80, -2, 2))))
