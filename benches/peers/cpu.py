#!/usr/bin/env python3
"""Peer figures on this machine's processor: NumPy, numexpr, Numba, JAX and SciPy.

    cpu.py OUT.json [--quick] [names…]

A package that is missing is skipped with a line. `first_ms` holds compiling.
"""

import os

import numpy as np

import loops
import rings
import science
import timing
from cpu_numba import KERNELS

try:
    import numexpr as ne
except ImportError:
    ne = None
try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = jnp = None
try:
    import scipy
    import scipy.fft
    import scipy.ndimage
    import scipy.signal
    import scipy.sparse.linalg
except ImportError:
    scipy = None

rng = np.random.default_rng(1)
recorder = None
PACKAGES = {"numexpr": ne, "jax": jax, "scipy": scipy, "numba": KERNELS or None, "numpy": np}


class Row:
    """One workload: each method adds a peer's figure."""

    def __init__(self, name, nbytes=0):
        self.name, self.nbytes = name, nbytes

    def peer(self, peer, make):
        """`make` builds the callable; the peer's first word names its package."""
        package = peer.split()[0].split(".")[0]
        if PACKAGES[package] is None:
            return recorder.skip(package, "not installed")
        recorder.row(self.name, peer, make, lambda: None, self.nbytes)

    def numpy(self, call, peer="numpy"):
        self.peer(peer, lambda: call)

    def numexpr(self, text, out=None, **names):
        self.peer("numexpr", lambda: lambda: ne.evaluate(text, local_dict=names, out=out))

    def jax(self, function, *arrays, peer="jax"):
        def make():
            jitted, held = jax.jit(function), [jnp.asarray(a) for a in arrays]
            return lambda: jax.block_until_ready(jitted(*held))

        self.peer(peer, make)

    def numba(self, kernel, peer, *arrays):
        """`kernel` names a function of cpu_numba.py, built there for the wanted target."""
        self.peer(f"numba {peer}", lambda: (lambda built: lambda: built(*arrays))(KERNELS[kernel]()))


def copy(name):
    a = np.ones(1 << 26, np.float32)
    b = np.empty_like(a)
    Row(name, 2 * a.nbytes).numpy(lambda: np.copyto(b, a))


def scale(name, n):
    x = rng.random(n)
    y = np.empty_like(x)
    row = Row(name, 2 * x.nbytes)
    row.numpy(lambda: x * 2)
    row.numpy(lambda: np.multiply(x, 2, out=y), "numpy out=")
    row.jax(lambda x: x * 2, x)
    row.numexpr("x*2", out=y, x=x)


def sinexp(name, n, dtype):
    x, y = np.linspace(0, 2 * np.pi, n).astype(dtype), np.full(n, 1, dtype)
    z = np.empty_like(x)
    row = Row(name, 3 * x.nbytes)
    row.numpy(lambda: timing.sinexp(np, x, y))
    row.numexpr("sin(x)*exp(y)", out=z, x=x, y=y)
    row.jax(lambda x, y: timing.sinexp(jnp, x, y), x, y)
    row.numba("sinexp cpu", "cpu", x, y, z)
    row.numba("sinexp parallel", "parallel", x, y, z)


def blackscholes(name, n):
    s, x, t = 5 + 25 * rng.random(n), 1 + 99 * rng.random(n), 0.25 + 9.75 * rng.random(n)
    call, put = np.empty(n), np.empty(n)
    row = Row(name, 5 * s.nbytes)
    row.numpy(lambda: timing.black_scholes(np, s, x, t))
    row.jax(lambda s, x, t: timing.black_scholes(jnp, s, x, t), s, x, t)
    row.numba("black_scholes serial", "njit", s, x, t, call, put)
    row.numba("black_scholes parallel", "njit parallel", s, x, t, call, put)


def haversine(name, n):
    def mesh(xp):
        return xp.linspace(29, 31, n)[None, :], xp.linspace(99, 101, n)[:, None]

    row = Row(name, 8 * n * n)
    row.numpy(lambda: timing.great_circle(np, *mesh(np)))
    row.jax(lambda _: timing.great_circle(jnp, *mesh(jnp)), 0.0)


def rowsum(name, ny, nx):
    a = rng.random((ny, nx), dtype=np.float32)
    row = Row(name, a.nbytes)
    row.numpy(lambda: a.sum(1))
    row.jax(lambda a: a.sum(1), a)
    row.numba("rowsum cpu", "guvectorize cpu", a)
    row.numba("rowsum parallel", "guvectorize parallel", a)


def colsum(name, ny, nx):
    a = rng.standard_normal((ny, nx), dtype=np.float32)
    row = Row(name, a.nbytes)
    row.numpy(lambda: a.sum(0))
    row.jax(lambda a: a.sum(0), a)


def prod(name, n):
    x = rng.random(n) * 0.5 + 0.75
    row = Row(name, x.nbytes)
    row.numpy(lambda: np.prod(x))
    row.jax(lambda x: jnp.prod(x), x)


def sumsq(name, n):
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    row = Row(name, 2 * x.nbytes)
    row.numpy(lambda: ((x - y) ** 2).sum())
    row.jax(lambda x, y: ((x - y) ** 2).sum(), x, y)
    row.numexpr("sum((x-y)**2)", x=x, y=y)


def softmax(name, ny, nx):
    x = rng.standard_normal((ny, nx), dtype=np.float32)
    row = Row(name, 2 * x.nbytes)
    row.numpy(lambda: timing.softmax(np, x))
    row.jax(lambda x: timing.softmax(jnp, x), x)


def standardize(name, ny, nx):
    x = rng.standard_normal((ny, nx), dtype=np.float32)
    row = Row(name, 2 * x.nbytes)
    row.numpy(lambda: timing.standardize(x))
    row.jax(timing.standardize, x)


def jacobi2d(name, n):
    a = rng.random((n, n))
    out = a.copy()

    def sweep():
        out[1:-1, 1:-1] = timing.jacobi_inner(a)

    row = Row(name, 2 * a.nbytes)
    row.numpy(sweep)
    row.jax(lambda a: a.at[1:-1, 1:-1].set(timing.jacobi_inner(a)), a)
    row.numba("jacobi", "njit parallel", a, out)


def pairwise_min(name, n):
    p = rng.random((n, 3), dtype=np.float32)
    row = Row(name)
    row.numpy(lambda: timing.pairwise_min(p, np.eye(n, dtype=np.float32)))
    row.jax(lambda p: timing.pairwise_min(p, jnp.eye(n, dtype=p.dtype)), p)


def argmax(name, n):
    x = rng.random(n, dtype=np.float32)
    row = Row(name, x.nbytes)
    row.numpy(lambda: x.argmax())
    row.jax(lambda x: x.argmax(), x)


def lorenz_rk4(name, members, points):
    z = 8 + 0.01 * rng.standard_normal((members, points))
    row = Row(name, 2 * z.nbytes)
    row.numpy(lambda: timing.rk4_step(np.roll, z))
    row.jax(lambda z: timing.rk4_step(jnp.roll, z), z)


def lorenz_rk4_steps(name, members, points, steps):
    z = 8 + 0.01 * rng.standard_normal((members, points))
    row = Row(name, steps * 2 * z.nbytes)
    row.numpy(lambda: timing.repeat(lambda q: timing.rk4_step(np.roll, q), z, steps))
    row.numba("lorenz_rk4_steps parallel", "njit parallel", z, steps)

    def on_jax(z):
        return jax.lax.fori_loop(0, steps, lambda _, q: timing.rk4_step(jnp.roll, q), z)

    row.jax(on_jax, z, peer="jax.fori_loop")


def jacobi_sweeps(name, n, sweeps):
    a = rng.random((n, n))

    def in_numpy():
        now, then = a.copy(), a.copy()
        for _ in range(sweeps):
            then[1:-1, 1:-1] = timing.jacobi_inner(now)
            now, then = then, now
        return now

    def on_jax(a):
        return jax.lax.fori_loop(0, sweeps, lambda _, a: a.at[1:-1, 1:-1].set(timing.jacobi_inner(a)), a)

    row = Row(name, sweeps * 2 * a.nbytes)
    row.numpy(in_numpy)
    row.numba("jacobi_sweeps", "njit parallel", a, sweeps)
    row.jax(on_jax, a, peer="jax.fori_loop")


def smooth(name, n, m):
    z, a, out = rng.random(n), np.array(rings.smooth_weights(m)), np.empty(n)
    row = Row(name, 8 * (2 * n + m))
    row.numpy(lambda: rings.smooth(np, z, a))
    row.numpy(lambda: rings.smooth_windows(np, np.lib.stride_tricks.sliding_window_view, z, a), "numpy windows")
    row.jax(lambda z, a: rings.smooth(jnp, z, a), z, a)
    row.numba("smooth cpu", "guvectorize cpu", z, a)
    row.numba("smooth_loops parallel", "njit parallel", z, a, out)


def lorenz04(name, members, points):
    z, out = 15 + 0.1 * rng.standard_normal((members, points)), np.empty((members, points))
    windows = rings.Windows(np, np.lib.stride_tricks.sliding_window_view)
    row = Row(name, 2 * z.nbytes)
    row.numpy(lambda: rings.step(rings.Slices(np), z))
    row.numpy(lambda: rings.step(windows, z), "numpy windows")
    row.jax(lambda z: rings.step(rings.Slices(jnp), z), z)
    row.numba("lorenz04 parallel", "njit parallel", z, out)


def lorenz04_steps(name, members, points, steps):
    z = 15 + 0.1 * rng.standard_normal((members, points))
    row = Row(name, steps * 2 * z.nbytes)
    row.numpy(lambda: timing.repeat(lambda q: rings.step(rings.Slices(np), q), z, steps))
    row.numba("lorenz04_steps parallel", "njit parallel", z, steps)

    def on_jax(z):
        return jax.lax.fori_loop(0, steps, lambda _, q: rings.step(rings.Slices(jnp), q), z)

    row.jax(on_jax, z, peer="jax.fori_loop")


def dispatch(name):
    x = rng.random(1000, dtype=np.float32)
    row = Row(name)
    row.numpy(lambda: timing.chain(np, x))
    row.jax(lambda x: timing.chain(jnp, x), x)


def loop(name, function, shape, *sizes):
    """Far from singular, where the array is a matrix."""
    a = rng.random(shape) + (np.eye(*shape) * shape[1] if len(shape) == 2 else 0)
    Row(name).numpy(lambda: function(np, a, *sizes))


def mandelbrot(name, height, width, limit):
    image = np.zeros((height, width), np.uint8)
    row = Row(name, image.nbytes)
    row.numba("mandelbrot serial", "njit", image, limit)
    row.numba("mandelbrot parallel", "njit parallel", image, limit)


def fftconv(name, n):
    a, b = rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32)
    row = Row(name)
    row.numpy(lambda: np.fft.ifft2(np.fft.fft2(a) * np.fft.fft2(b)).real)
    two = dict(workers=2)

    def with_scipy():
        product = scipy.fft.fft2(a, **two) * scipy.fft.fft2(b, **two)
        return scipy.fft.ifft2(product, **two).real

    row.peer("scipy 2 workers", lambda: with_scipy)
    row.jax(lambda a, b: jnp.fft.ifft2(jnp.fft.fft2(a) * jnp.fft.fft2(b)).real, a, b)


def uniform(name, n):
    generator = np.random.default_rng(0)
    row = Row(name, 4 * n)
    row.numpy(lambda: generator.random(n, dtype=np.float32))
    row.jax(lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (n,), dtype="float32"), np.zeros(2, np.uint32))


def matmul(name, n, dtype):
    a = rng.random((n, n)).astype(dtype)
    row = Row(name)
    row.numpy(lambda: a @ a)
    row.jax(lambda a: a @ a, a)


def cumsum(name, n):
    x = rng.random(n, dtype=np.float32)
    row = Row(name, 2 * x.nbytes)
    row.numpy(lambda: np.cumsum(x))
    row.jax(lambda x: jnp.cumsum(x), x)


def sort(name, n):
    x = rng.random(n, dtype=np.float32)
    Row(name, 2 * x.nbytes).numpy(lambda: np.sort(x))


def of_scipy(name, *workload):
    def make():
        return science.calls(np, scipy.ndimage, scipy.signal, scipy.sparse, scipy.sparse.linalg, *workload)

    Row(name).peer("scipy", make)


WORKLOADS = {
    "copy@256MiB": (copy,),
    "scale@30M:f64": (scale, 30_000_000),
    "sinexp@1M:float32": (sinexp, 1_000_000, np.float32),
    "sinexp@1M:float64": (sinexp, 1_000_000, np.float64),
    "blackscholes@4M:f64": (blackscholes, 4_000_000),
    "haversine@1000x1000:f64": (haversine, 1000),
    "rowsum@1000x1000:f32": (rowsum, 1000, 1000),
    "colsum@4096x4096:f32": (colsum, 4096, 4096),
    "prod@4M:f64": (prod, 4_000_000),
    "sumsq@64M:f32": (sumsq, 64_000_000),
    "softmax@4096x4096:f32": (softmax, 4096, 4096),
    "standardize@4096x4096:f32": (standardize, 4096, 4096),
    "jacobi2d@4096x4096:f64": (jacobi2d, 4096),
    "pairwise_min@4096:f32": (pairwise_min, 4096),
    "argmax@16M:f32": (argmax, 16_000_000),
    "jacobi_sweeps@1024x1024x100": (jacobi_sweeps, 1024, 100),
    "lorenz_rk4@40x960/step": (lorenz_rk4, 40, 960),
    "lorenz_rk4@40x960x20steps": (lorenz_rk4_steps, 40, 960, 20),
    "dispatch@1000x30ops": (dispatch,),
    "rows@1000x1000:float64": (loop, loops.rows, (1000, 1000)),
    "elements@10000:float64": (loop, loops.elements, (10_000,)),
    "gramschmidt@70x60:float64": (loop, loops.gramschmidt, (70, 60)),
    "lu@60:float64": (loop, loops.lu, (60, 60)),
    "seidel@50x8sweeps:float64": (loop, loops.seidel, (50, 50), 8),
    "mandelbrot@1024x1536x20": (mandelbrot, 1024, 1536, 20),
    "fftconv@512x512:c64": (fftconv, 512),
    "uniform@16M:f32": (uniform, 16_000_000),
    "smooth@960x25:float64": (smooth, 960, 25),
    "smooth@1000000x25:float64": (smooth, 1_000_000, 25),
    "lorenz04@40x960": (lorenz04, 40, 960),
    "lorenz04@40x960x20steps": (lorenz04_steps, 40, 960, 20),
    "matmul@1600:float32": (matmul, 1600, np.float32),
    "matmul@1600:float64": (matmul, 1600, np.float64),
    "gaussian@2048x2048:float32": (of_scipy, "gaussian", 2048),
    "median3@2048x2048:float32": (of_scipy, "median", 2048, 3),
    "median5@2048x2048:float32": (of_scipy, "median", 2048, 5),
    "coordinates1@1024x1024:float32": (of_scipy, "coordinates", 1024, 1),
    "coordinates3@1024x1024:float32": (of_scipy, "coordinates", 1024, 3),
    "label@2048x2048": (of_scipy, "label", 2048),
    "welch@4000000:float32": (of_scipy, "welch", 4_000_000),
    "laplacian@1024x1024:float64": (of_scipy, "laplacian", 1024),
    "cg@256x256:float64": (of_scipy, "cg", 256),
    "cumsum@16M:f32": (cumsum, 16_000_000),
    "sort@16M:f32": (sort, 16_000_000),
}


def main():
    global recorder
    args, names, recorder = timing.arguments(WORKLOADS, __doc__)
    for name in names:
        function, *sizes = WORKLOADS[name]
        function(name, *sizes)
    versions = {k: p.__version__ for k, p in PACKAGES.items() if hasattr(p, "__version__")}
    recorder.save(args.out, device=f"processor, {os.cpu_count()} cores", versions=versions)


if __name__ == "__main__":
    main()
