"""Numba's processor kernels, each built on request. `KERNELS` is empty where Numba is missing."""

import math

import numpy as np

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
