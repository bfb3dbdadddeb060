"""Numba's processor kernels, each built on request. `KERNELS` is empty where Numba is missing."""

import math

import numpy as np

import rings
from timing import INV_SQRT_2PI, RATE, VOLATILITY

try:
    from numba import guvectorize, njit, prange, vectorize
except ImportError:
    vectorize = None

KERNELS = {}


def kernel(name, *arguments):
    """Enters a builder under a name, for each of the given arguments."""

    def enter(build):
        if vectorize is not None:
            for label, argument in arguments:
                KERNELS[f"{name} {label}".strip()] = lambda argument=argument: build(argument)
        return build

    return enter


TARGETS = [("cpu", "cpu"), ("parallel", "parallel")]
LOOPS = [("serial", False), ("parallel", True)]


@kernel("sinexp", *TARGETS)
def sinexp(target):
    def f(x, y):
        return math.sin(x) * math.exp(y)

    return vectorize(["float32(float32,float32)", "float64(float64,float64)"], target=target)(f)


@kernel("rowsum", *TARGETS)
def rowsum(target):
    def f(a, s):
        for i in range(a.shape[0]):
            total = np.float32(0)
            for j in range(a.shape[1]):
                total += a[i, j]
            s[i] = total

    return guvectorize(["void(float32[:,:], float32[:])"], "(n,m)->(n)", target=target)(f)


@kernel("black_scholes", *LOOPS)
def black_scholes(parallel):
    @njit
    def cdf(d):
        k = 1.0 / (1.0 + 0.2316419 * abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = INV_SQRT_2PI * math.exp(-0.5 * d * d) * poly
        return 1.0 - tail if d > 0 else tail

    @njit(parallel=parallel)
    def run(s, x, t, call, put):
        for i in prange(s.size):
            root = math.sqrt(t[i])
            drift = (RATE + 0.5 * VOLATILITY * VOLATILITY) * t[i]
            d1 = (math.log(s[i] / x[i]) + drift) / (VOLATILITY * root)
            c1, c2 = cdf(d1), cdf(d1 - VOLATILITY * root)
            discounted = x[i] * math.exp(-RATE * t[i])
            call[i] = s[i] * c1 - discounted * c2
            put[i] = discounted * (1 - c2) - s[i] * (1 - c1)

    return run


@kernel("mandelbrot", *LOOPS)
def mandelbrot(parallel):
    @njit(parallel=parallel)
    def run(image, limit):
        height, width = image.shape
        for y in prange(height):
            for x in range(width):
                cr, ci = -2 + x * 3.0 / width, -1 + y * 2.0 / height
                a, b, i = 0.0, 0.0, 0
                while i < limit:
                    a, b = a * a - b * b + cr, 2 * a * b + ci
                    if a * a + b * b >= 4:
                        break
                    i += 1
                image[y, x] = i

    return run


@kernel("jacobi", ("", True))
def jacobi(parallel):
    @njit(parallel=parallel)
    def run(a, out):
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                out[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])

    return run


@kernel("jacobi_sweeps", ("", True))
def jacobi_sweeps(parallel):
    sweep = jacobi(parallel)

    @njit
    def run(a, sweeps):
        now, then = a.copy(), a.copy()
        for _ in range(sweeps):
            sweep(now, then)
            now, then = then, now
        return now

    return run


@kernel("lorenz_rk4_steps", *LOOPS)
def lorenz_rk4_steps(parallel):
    @njit
    def slope(z, k):
        n = z.size
        for p in range(2, n - 1):
            k[p] = (z[p + 1] - z[p - 2]) * z[p - 1] - z[p] + 8.0
        k[0] = (z[1] - z[n - 2]) * z[n - 1] - z[0] + 8.0
        k[1] = (z[2] - z[n - 1]) * z[0] - z[1] + 8.0
        k[n - 1] = (z[0] - z[n - 3]) * z[n - 2] - z[n - 1] + 8.0

    @njit(parallel=parallel)
    def run(z, steps):
        out, h = z.copy(), 0.01
        for member in prange(z.shape[0]):
            ring = out[member]
            k1, k2, k3, k4 = np.empty_like(ring), np.empty_like(ring), np.empty_like(ring), np.empty_like(ring)
            for _ in range(steps):
                slope(ring, k1)
                slope(ring + 0.5 * h * k1, k2)
                slope(ring + 0.5 * h * k2, k3)
                slope(ring + h * k3, k4)
                ring += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return out

    return run


@kernel("smooth", *TARGETS)
def smooth(target):
    def f(z, a, x):
        n, m = z.size, a.size
        for i in range(n):
            total = 0.0
            for k in range(m):
                weight = 0.5 * a[k] if k == 0 or k == m - 1 else a[k]
                total += weight * z[(i + m // 2 - k) % n]
            x[i] = total

    return guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->(n)", target=target)(f)


@kernel("smooth_loops", *LOOPS)
def smooth_loops(parallel):
    @njit(parallel=parallel)
    def run(z, a, x):
        n, m = z.size, a.size
        for i in prange(n):
            total = 0.0
            for k in range(m):
                weight = 0.5 * a[k] if k == 0 or k == m - 1 else a[k]
                total += weight * z[(i + m // 2 - k) % n]
            x[i] = total

    return run


def ring_step():
    """One Runge-Kutta step of model III of one ring; the sums run over rows with their neighbours at both ends."""
    smooth_weights, mean_weights = np.array(rings.SMOOTH), np.array(rings.MEAN)
    k, j, i = rings.K, rings.K // 2, rings.I
    b, c, forcing, dt = rings.B, rings.C, rings.FORCING, rings.STEP

    @njit
    def padded(z, behind, ahead):
        """The ring from `behind` before its first point to `ahead` past its last."""
        return np.concatenate((z[z.size - behind :], z, z[:ahead]))

    @njit
    def around(ring, weights, n):
        out = np.zeros(n)
        for at in range(weights.size):
            for p in range(n):
                out[p] += weights[at] * ring[p + at]
        return out

    @njit
    def slope(z):
        n = z.size
        x = around(padded(z, i, i), smooth_weights, n)
        w = around(padded(x, j, j), mean_weights, n)
        behind, ahead = padded(w, 2 * k, k), padded(x, 0, 2 * k)
        near = np.zeros(n)
        for at in range(2 * j + 1):
            for p in range(n):
                near[p] += mean_weights[at] * behind[p + k - j + at] * ahead[p + k - j + at]
        x3, z3, dz = padded(x, 2, 1), padded(z, 2, 1), np.empty(n)
        for p in range(n):
            x2, x1, x0, xn = x3[p], x3[p + 1], x3[p + 2], x3[p + 3]
            y2, y1, y0, yn = z3[p] - x2, z3[p + 1] - x1, z3[p + 2] - x0, z3[p + 3] - xn
            drift = near[p] - behind[p] * behind[p + k]
            dz[p] = drift + b * b * (y1 * yn - y2 * y1) + c * (y1 * xn - y2 * x1) - x0 - b * y0 + forcing
        return dz

    @njit
    def step(z):
        k1 = slope(z)
        k2 = slope(z + 0.5 * dt * k1)
        k3 = slope(z + 0.5 * dt * k2)
        k4 = slope(z + dt * k3)
        return z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return step


@kernel("lorenz04", *LOOPS)
def lorenz04(parallel):
    step = ring_step()

    @njit(parallel=parallel)
    def run(z, out):
        for member in prange(z.shape[0]):
            out[member] = step(z[member])

    return run


@kernel("lorenz04_steps", *LOOPS)
def lorenz04_steps(parallel):
    step = ring_step()

    @njit(parallel=parallel)
    def run(z, steps):
        out = np.empty_like(z)
        for member in prange(z.shape[0]):
            ring = z[member]
            for _ in range(steps):
                ring = step(ring)
            out[member] = ring
        return out

    return run
