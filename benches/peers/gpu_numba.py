"""Numba-CUDA's side. Each builder takes arrays or sizes and returns a callable that launches once."""

import math

import numpy as np
from numba import cuda, guvectorize, vectorize

cuda.current_context()  # No GPU or no driver: the import fails here, and the peer is skipped.


def view(array):
    return cuda.as_cuda_array(array)


def scale(x, y):
    @cuda.jit
    def kernel(source, out):
        i = cuda.grid(1)
        if i < source.size:
            out[i] = source[i] * 2

    x, y = view(x), view(y)
    blocks = (x.size + 127) // 128
    return lambda: kernel[blocks, 128](x, y)


def sinexp(x, y, z):
    def f(x, y):
        return math.sin(x) * math.exp(y)

    ufunc = vectorize(["float32(float32,float32)", "float64(float64,float64)"], target="cuda")(f)
    x, y, z = view(x), view(y), view(z)
    return lambda: ufunc(x, y, out=z)


def rowsum(a):
    def f(a, s):
        for i in range(a.shape[0]):
            total = np.float32(0.0)
            for j in range(a.shape[1]):
                total += a[i, j]
            s[i] = total

    gufunc = guvectorize(["void(float32[:,:], float32[:])"], "(n,m)->(n)", target="cuda")(f)
    a = view(a)
    return lambda: gufunc(a)


def prod(x):
    x, multiply = view(x), cuda.reduce(lambda a, b: a * b)
    return lambda: multiply(x)


def great_circle(n):
    @cuda.jit(device=True)
    def angle(lat1, lon1, lat2, lon2):
        a = (
            math.sin(0.008726645 * (lat2 - lat1)) ** 2
            + math.cos(0.01745329 * lat1) * math.cos(0.01745329 * lat2) * math.sin(0.008726645 * (lon2 - lon1)) ** 2
        )
        return math.atan2(a, 1 - a)

    @cuda.jit
    def kernel(lat2, lon2, xb, xe, yb, ye, n, out):
        x, y = cuda.grid(2)
        if x < n and y < n:
            out[y][x] = angle(((xe - xb) * x) / (n - 1) + xb, ((ye - yb) * y) / (n - 1) + yb, lat2, lon2)

    out = cuda.device_array((n, n), np.float64)
    blocks = (n + 31) // 32, (n + 31) // 32
    return lambda: kernel[blocks, (32, 32)](30.0, 101.0, 29.0, 31.0, 99.0, 101.0, n, out)


def mandelbrot(height, width, limit):
    @cuda.jit(device=True)
    def iterations(x, y, limit):
        c, z = complex(x, y), 0.0j
        for i in range(limit):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                return i
        return limit

    @cuda.jit
    def kernel(x0, x1, y0, y1, image, limit):
        height, width = image.shape
        px, py = (x1 - x0) / width, (y1 - y0) / height
        first_x, first_y = cuda.grid(2)
        step_x, step_y = cuda.gridsize(2)
        for x in range(first_x, width, step_x):
            for y in range(first_y, height, step_y):
                image[y, x] = iterations(x0 + x * px, y0 + y * py, limit)

    image = cuda.device_array((height, width), np.uint8)
    return lambda: kernel[(width // 32, height // 8), (32, 8)](-2.0, 1.0, -1.0, 1.0, image, limit)
