"""Pictures, signals and sparse systems, for SciPy and for what CuPy has of it under the same names."""

import inspect

import numpy as np


def noise(xp, n):
    return xp.random.random((n, n)).astype("float32")


def turned(xp, n):
    """A picture, and where its pixels come from when it is turned by half a radian."""
    line = xp.arange(n, dtype="float32")
    picture = xp.sin(line[:, None] * 0.02) * xp.cos(line[None, :] * 0.015)
    centre, sin, cos = (n - 1) / 2, np.float32(np.sin(0.5)), np.float32(np.cos(0.5))
    y, x = line[:, None] - np.float32(centre), line[None, :] - np.float32(centre)
    return picture, xp.stack([y * cos + x * sin, x * cos - y * sin]) + np.float32(centre)


def samples(xp, n):
    """A wave in noise."""
    n = n // 1024 * 1024
    wave = xp.sin(xp.arange(n, dtype="int64") % 8 * (2 * np.pi / 8))
    return (xp.random.random(n) - 0.5 + wave).astype("float32")


def laplacian(sparse, n):
    """The five-point Laplacian of a square, by rows."""
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")
    eye = sparse.identity(n, format="csr")
    return (sparse.kron(eye, line) + sparse.kron(line, eye)).tocsr()


def calls(xp, ndimage, signal, sparse, linalg, what, n, *more):
    """The function to time of a workload, with its inputs in place."""
    if what == "gaussian":
        a = noise(xp, n)
        return lambda: ndimage.gaussian_filter(a, 2.0)
    if what == "median":
        a, (window,) = noise(xp, n), more
        return lambda: ndimage.median_filter(a, window)
    if what == "coordinates":
        picture, at = turned(xp, n)
        return lambda: ndimage.map_coordinates(picture, at, order=more[0])
    if what == "label":
        mask = noise(xp, n) < 0.5
        return lambda: ndimage.label(mask)
    if what == "welch":
        x = samples(xp, n)
        return lambda: signal.welch(x, nperseg=1024)
    a = laplacian(sparse, n)
    if what == "laplacian":
        x = xp.random.random(n * n)
        return lambda: a @ x
    b, known = xp.ones(n * n), inspect.signature(linalg.cg).parameters
    name = "rtol" if "rtol" in known else "tol"
    return lambda: linalg.cg(a, b, **{name: 1e-8, "maxiter": 10 * n * n})
