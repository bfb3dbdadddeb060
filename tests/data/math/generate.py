"""Writes the oracle files of elements/src/math/tests: one file a function, little-endian f64 columns.

Every row holds the arguments and the value, rounded from 60 digits (mpmath); arguments that mpmath
has no rule for (NaN, infinities, signed zeros) take NumPy's and SciPy's value.
Needs: numpy, scipy, mpmath.
"""
import ctypes
import os
import numpy as np
import scipy.special as sp
import mpmath as mp

mp.mp.dps = 60
mp.mp.prec = 400
HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20240607)
TINY = 5e-324
EDGE = [0.0, -0.0, np.inf, -np.inf, np.nan]
SMALL = [TINY, -TINY, 1e-310, -1e-310, 2.2250738585072014e-308, 1e-300, -1e-300, 1e-17, -1e-17, 1e-8, -1e-8]
HUGE = [1.7976931348623157e308, -1.7976931348623157e308, 1e300, -1e300]


def around(*centres):
    out = []
    for c in centres:
        for k in (-2, -1, 0, 1, 2):
            v = c
            for _ in range(abs(k)):
                v = np.nextafter(v, np.inf * k)
            out.append(float(v))
    return out


def logs(lo, hi, n, sign=False):
    v = 10.0 ** rng.uniform(lo, hi, n)
    return list(v * rng.choice([-1, 1], n) if sign else v)


def uni(a, b, n):
    return list(rng.uniform(a, b, n))


def rounded(v):
    if isinstance(v, mp.mpc):
        return float('nan')
    v = mp.mpf(v)
    if mp.isnan(v) or mp.isinf(v) or v == 0:
        return float(v)
    # float() of an mpf rounds twice below the normal range, so round subnormals by hand.
    if abs(v) < mp.mpf(2) ** -1022:
        return float(np.copysign(np.ldexp(float(mp.nint(v * mp.mpf(2) ** 1074)), -1074), int(mp.sign(v))))
    try:
        return float(v)
    except OverflowError:
        return float('inf') if v > 0 else float('-inf')


def write(name, f, fallback, points):
    rows = []
    for p in points:
        args = p if isinstance(p, tuple) else (p,)
        plain = all(np.isfinite(a) and a != 0 for a in args)
        try:
            if not plain:
                raise ValueError
            value = rounded(f(*[mp.mpf(a) for a in args]))
        except (ValueError, ZeroDivisionError, OverflowError, mp.libmp.NoConvergence):
            with np.errstate(all='ignore'):
                value = float(fallback(*args))
        rows.append(list(args) + [value])
    np.array(rows, dtype='<f8').tofile(os.path.join(HERE, name + '.bin'))


def real(f):
    """mpmath leaves the reals silently; the tests want NaN there."""
    return lambda *a: (lambda v: v if not isinstance(v, mp.mpc) else mp.nan)(f(*a))


E = EDGE + SMALL + HUGE
exps = E + uni(-745, 710, 250) + uni(-2, 2, 150) + logs(-18, 0, 60, True) + around(709.782712893384, -745.1332191019412, -708.3964185322641, 0.34657359027997264, 1.0, -1.0, 0.5)
write('exp', mp.exp, np.exp, exps)
write('exp_m1', mp.expm1, np.expm1, exps)
write('exp2', lambda x: mp.mpf(2) ** x, np.exp2, E + uni(-1075, 1024, 250) + uni(-2, 2, 100) + logs(-18, 0, 40, True) + around(1024.0, -1074.0, -1075.0, -1022.0, 0.5, 1.5) + [float(i) for i in range(-1074, 1024, 97)])
write('exp10', lambda x: mp.mpf(10) ** x, lambda x: np.power(10.0, x), E + uni(-323, 308, 250) + uni(-2, 2, 100) + logs(-18, 0, 40, True) + around(308.25471555991675, -323.6) + [float(i) for i in range(-323, 309, 7)])
lns = E + logs(-308, 308, 150) + logs(-323, -308, 30) + uni(0.5, 2, 250) + list(1 + np.array(logs(-16, -1, 60, True))) + around(1.0, 0.7071067811865476, 1.4142135623730951, 2.0, 0.5) + [2.0 ** k for k in range(-1074, 1024, 83)] + [10.0 ** k for k in range(0, 23)] + [-1.0, -TINY]
write('ln', real(mp.log), np.log, lns)
write('log2', real(lambda x: mp.log(x) / mp.log(2)), np.log2, lns)
write('log10', real(lambda x: mp.log(x) / mp.log(10)), np.log10, lns)
write('ln_1p', real(mp.log1p), np.log1p, E + logs(-18, 308, 200) + uni(-1, 2, 250) + list(-1 + np.array(logs(-16, 0, 40))) + logs(-18, 0, 60, True) + around(-1.0, -0.2928932188134524, 0.41421356237309515, 1.0) + [-1.0, -2.0])
trig = E + uni(-10, 10, 200) + uni(-1e4, 1e4, 100) + logs(-10, 9, 200, True) + logs(9, 308, 60, True) + [float(k * np.pi / 2) for k in range(-40, 41)] + [float(k) * np.pi / 2 for k in (10 ** 3, 10 ** 5, 10 ** 7, 10 ** 8)] + [6381956970095103.0 * 2.0 ** 797, 1073741824.0, 1073741825.0] + around(0.7853981633974483)
for name in ('sin', 'cos', 'tan'):
    write(name, getattr(mp, name), getattr(np, name), trig)
write('sinc', mp.sincpi, np.sinc, E[:3] + E[3:-2] + uni(-5, 5, 200) + logs(-10, 17, 100, True) + [k / 4 for k in range(-40, 41)])
unit = E + uni(-1, 1, 250) + logs(-18, 0, 80, True) + list(1 - np.array(logs(-16, -1, 60))) + list(-1 + np.array(logs(-16, -1, 60))) + around(0.5, -0.5, 1.0, -1.0) + [1.5, -2.0]
write('asin', real(mp.asin), np.arcsin, unit)
write('acos', real(mp.acos), np.arccos, unit)
write('atanh', real(lambda x: mp.inf * x if abs(x) == 1 else mp.atanh(x)), np.arctanh, unit)
wide = E + uni(-5, 5, 250) + logs(-18, 308, 200, True) + around(1.0, 0.41421356237309503, 2.414213562373095, -1.0)
write('atan', mp.atan, np.arctan, wide)
write('asinh', mp.asinh, np.arcsinh, wide + around(268435456.0))
write('acosh', real(mp.acosh), np.arccosh, E + list(1 + np.array(logs(-16, 3, 200))) + logs(0, 308, 100) + around(1.0, 268435456.0) + [0.5, -1.5, -5.0])
hyper = E + uni(-710, 710, 150) + uni(-3, 3, 200) + logs(-18, 0, 60, True) + around(710.4758600739439, 22.0, 0.34657359027997264, 709.782712893384)
for name in ('sinh', 'cosh', 'tanh'):
    write(name, getattr(mp, name), getattr(np, name), hyper)
write('cbrt', lambda x: mp.sign(x) * mp.cbrt(abs(x)), np.cbrt, wide + logs(-323, -300, 30, True) + [float(k ** 3) for k in range(1, 40)])
write('erf', mp.erf, sp.erf, E + uni(-6, 6, 300) + logs(-18, 0, 60, True) + around(1.0, 0.5, 6.0))
write('erfc', mp.erfc, sp.erfc, E + uni(-6, 27, 300) + logs(-18, 0, 60, True) + around(1.0, 0.5, 6.0, 26.5, 27.2))
write('erfinv', lambda x: mp.erfinv(x) if abs(x) < 1 else mp.inf * x, sp.erfinv, [0.0, np.nan, 1.0, -1.0] + uni(-1, 1, 100) + logs(-15, 0, 30, True))
write('gamma', lambda x: mp.gamma(x), sp.gamma, [1e-300, 1e-10] + uni(-20, 30, 100) + uni(30, 171, 50) + [float(k) for k in range(1, 25)] + around(171.6))
write('lgamma', lambda x: mp.log(abs(mp.gamma(x))) if x < 500 else mp.loggamma(x), sp.gammaln, [1e-300, np.inf] + uni(-20, 30, 100) + logs(0, 300, 50) + [1.0, 2.0])
bess = uni(0, 30, 80) + uni(30, 1000, 20) + logs(-8, 0, 20)
write('bessel_j0', mp.j0, sp.j0, bess + [0.0])
write('bessel_j1', mp.j1, sp.j1, bess + [0.0])
write('bessel_y0', lambda x: mp.bessely(0, x), sp.y0, bess)
write('bessel_y1', lambda x: mp.bessely(1, x), sp.y1, bess)
write('bessel_i0', lambda x: mp.besseli(0, x), sp.i0, uni(-20, 20, 80) + logs(-8, 2.8, 30) + [0.0])
write('bessel_i1', lambda x: mp.besseli(1, x), sp.i1, uni(-20, 20, 80) + logs(-8, 2.8, 30) + [0.0])
cross = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e300, -1e300, TINY, -TINY, 1e-300, np.inf, -np.inf, np.nan, 9007199254740993.0]
pairs = [(a, b) for a in cross for b in cross]


def both(f, n):
    return [(x, y) for x, y in zip(f(n), f(n))]


def power(x, y):
    if x < 0 and y != mp.floor(y):
        return mp.nan
    e = y * mp.log(abs(x))
    if e > 800 or e < -800:
        raise ValueError
    return mp.sign(x) ** int(mp.fmod(y, 2)) * mp.exp(e) if x < 0 else mp.exp(e)


powers = pairs + [(x, y) for x, y in zip(logs(-3, 3, 250), uni(-100, 100, 250))] + [(x, y) for x, y in zip(logs(-300, 300, 100), uni(-1.1, 1.1, 100))] + [(1 + d, y) for d, y in zip(logs(-12, -3, 100, True), logs(3, 9, 100, True))] + [(-x, float(int(y))) for x, y in zip(logs(-2, 2, 50), uni(-60, 60, 50))] + [(2.0, float(k)) for k in range(-1074, 1024, 41)]
libm = ctypes.CDLL('libm.so.6')  # NumPy's own takes shortcuts for scalars, such as sqrt for 0.5
libm.pow.restype = ctypes.c_double
libm.pow.argtypes = [ctypes.c_double, ctypes.c_double]
write('pow', power, libm.pow, powers)
write('atan2', mp.atan2, np.arctan2, pairs + both(lambda n: logs(-3, 3, n, True), 300) + both(lambda n: logs(-300, 300, n, True), 100) + both(lambda n: logs(307, 308.2, n, True), 20) + both(lambda n: logs(-322, -309, n, True), 20))
write('hypot', mp.hypot, np.hypot, pairs + both(lambda n: logs(-2, 2, n, True), 200) + both(lambda n: logs(-308, 308, n, True), 50) + both(lambda n: logs(305, 308, n, True), 20) + both(lambda n: logs(-322, -309, n, True), 20))
lae = pairs + both(lambda n: uni(-50, 50, n), 150) + both(lambda n: uni(-1000, 1000, n), 50)
write('logaddexp', lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))), np.logaddexp, lae)
write('logaddexp2', lambda x, y: max(x, y) + mp.log1p(mp.mpf(2) ** -abs(x - y)) / mp.log(2), np.logaddexp2, lae)
nothing = lambda *a: (_ for _ in ()).throw(ValueError())
rem = pairs + both(lambda n: uni(-10, 10, n), 100) + both(lambda n: logs(-5, 20, n, True), 100) + [(float(a), float(b)) for a in range(-7, 8) for b in (-3, -2, 2, 3)]
write('fmod', nothing, np.fmod, rem)
write('remainder', nothing, np.remainder, rem)
write('floor_divide', nothing, np.floor_divide, rem)
write('nextafter', nothing, np.nextafter, pairs)
write('copysign', nothing, np.copysign, pairs)
write('heaviside', nothing, np.heaviside, pairs)
write('minimum', nothing, np.minimum, pairs)
write('maximum', nothing, np.maximum, pairs)
write('fmin', nothing, np.fmin, pairs)
write('fmax', nothing, np.fmax, pairs)
steps = E + uni(-5, 5, 100) + [k / 2 for k in range(-9, 10)] + around(0.5, -0.5, 4503599627370496.0, 2251799813685248.5, -4503599627370497.0)
for name, f in (('rint', np.rint), ('trunc', np.trunc), ('floor', np.floor), ('ceil', np.ceil), ('sign', np.sign), ('degrees', np.degrees), ('radians', np.radians)):
    write(name, nothing, f, steps)
write('frexp_mantissa', nothing, lambda x: np.frexp(x)[0], wide + logs(-323, -300, 20, True))
write('frexp_exponent', nothing, lambda x: np.frexp(x)[1], wide + logs(-323, -300, 20, True))
write('ldexp', nothing, lambda x, n: np.ldexp(x, int(n)), [(x, float(n)) for x in SMALL + HUGE + EDGE + uni(0.5, 1, 20) for n in (-2200, -2000, -1100, -1074, -1060, -1023, -1022, -1, 0, 1, 60, 1023, 1024, 1100, 2000, 2097, 2200)])
