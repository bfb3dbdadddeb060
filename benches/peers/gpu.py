#!/usr/bin/env python3
"""Peer figures on one GPU: CuPy, JAX, torch.compile, Numba-CUDA and hand-written CUDA.

    gpu.py OUT.json [--quick] [names…]

A package that is missing is skipped with a line. `first_ms` holds compiling.
"""

import numpy as np

import gpu_programs as programs
import gpu_row
import loops
import timing
from gpu_row import Row, cp, given, jax, jnp, normal, random, torch


def copy(name):
    a, b = random((1 << 29,)), random((1 << 29,))
    Row(name, 2 * a.nbytes).cupy(lambda a, b: cp.copyto(b, a), a, b, peer="cudaMemcpy")


def scale(name, n):
    x, y = random((n,), "float64"), random((n,), "float64")
    row = Row(name, 2 * x.nbytes)
    row.cupy(lambda x, y: cp.multiply(x, 2, out=y), x, y)
    row.jax(lambda x: x * 2, x)
    row.compiled(lambda x: x * 2, x)
    row.numba("scale", "cuda.jit", x, y)


def sinexp(name, n, dtype):
    x, y, z = random((n,), dtype, 0, 2 * np.pi), random((n,), dtype, 1, 1.6), random((n,), dtype)
    row = Row(name, 3 * x.nbytes)
    row.cupy(lambda x, y: timing.sinexp(cp, x, y), x, y)
    row.fused(lambda x, y: timing.sinexp(cp, x, y), x, y)
    row.jax(lambda x, y: timing.sinexp(jnp, x, y), x, y)
    row.compiled(lambda x, y: timing.sinexp(torch, x, y), x, y)
    row.numba("sinexp", "vectorize", x, y, z)


def blackscholes(name, n, dtype):
    s, x, t = random((n,), dtype, 5, 30), random((n,), dtype, 1, 100), random((n,), dtype, 0.25, 10)
    row = Row(name, 5 * s.nbytes)
    row.cupy(lambda *a: timing.black_scholes(cp, *a), s, x, t)
    row.jax(lambda *a: timing.black_scholes(jnp, *a), s, x, t)
    row.compiled(lambda *a: timing.black_scholes(torch, *a), s, x, t)
    row.handwritten("black_scholes", s, x, t)


def haversine(name, n):
    def mesh(xp, **options):
        return xp.linspace(29, 31, n, **options)[None, :], xp.linspace(99, 101, n, **options)[:, None]

    def on_torch():
        return timing.great_circle(torch, *mesh(torch, device="cuda", dtype=torch.float64))

    row = Row(name, 8 * n * n)
    row.cupy(lambda: timing.great_circle(cp, *mesh(cp)))
    row.jax(lambda _: timing.great_circle(jnp, *mesh(jnp)), 0.0)
    row.compiled(on_torch)
    row.numba("great_circle", "cuda.jit", n)


def rowsum(name, ny, nx):
    a = random((ny, nx), "float32", 0.75, 1.25)
    row = Row(name, a.nbytes)
    row.everywhere(lambda a: a.sum(1), a)
    if ny <= 1000:  # One thread a row: on more rows it says nothing new and takes seconds.
        row.numba("rowsum", "guvectorize", a)


def colsum(name, ny, nx):
    a = random((ny, nx), "float32", 0.75, 1.25)
    Row(name, a.nbytes).everywhere(lambda a: a.sum(0), a)


def prod(name, n):
    x = random((n,), "float64", 0.75, 1.25)
    row = Row(name, x.nbytes)
    row.everywhere(lambda x: x.prod(), x)
    row.numba("prod", "reduce", x)


def sumsq(name, n):
    x, y = random((n,)), random((n,))
    Row(name, 2 * x.nbytes).everywhere(lambda x, y: ((x - y) ** 2).sum(), x, y)


def softmax(name, ny, nx, dtype="float32"):
    x = normal((ny, nx), dtype)
    row = Row(name, 2 * x.nbytes)
    row.cupy(lambda x: timing.softmax(cp, x), x)
    row.jax(lambda x: jax.nn.softmax(x, 1), x)
    row.compiled(lambda x: torch.softmax(x, 1), x)
    row.torch(lambda x: torch.softmax(x, 1), x)


def standardize(name, ny, nx, dtype="float32"):
    def on_torch(x):
        return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True, unbiased=False)

    x = normal((ny, nx), dtype)
    row = Row(name, 2 * x.nbytes)
    row.cupy(timing.standardize, x)
    row.jax(timing.standardize, x)
    row.compiled(on_torch, x)


def jacobi2d(name, n):
    def in_place(a, out):
        out[1:-1, 1:-1] = timing.jacobi_inner(a)

    def on_torch(a):
        out = a.clone()
        out[1:-1, 1:-1] = timing.jacobi_inner(a)
        return out

    a, out = random((n, n), "float64"), random((n, n), "float64")
    row = Row(name, 2 * a.nbytes)
    row.cupy(in_place, a, out)
    row.jax(lambda a: a.at[1:-1, 1:-1].set(timing.jacobi_inner(a)), a)
    row.compiled(on_torch, a)


def jacobi_sweeps(name, n, sweeps):
    def sweep(a):
        return a.at[1:-1, 1:-1].set(timing.jacobi_inner(a))

    def on_torch(a):
        out = a.clone()
        out[1:-1, 1:-1] = timing.jacobi_inner(a)
        return out

    def torch_sweeps(**options):
        torch._dynamo.reset()
        step = torch.compile(on_torch, dynamic=False, **options)

        def run(a):
            # A graph's output is written again by its next run.
            for _ in range(sweeps):
                a = step(a).clone() if options else step(a)
            return a

        return run

    a = random((n, n), "float64")
    row = Row(name, sweeps * 2 * a.nbytes)
    row.jax(lambda a: jax.lax.fori_loop(0, sweeps, lambda _, a: sweep(a), a), a, peer="jax.fori_loop")
    row.torch_calls(torch_sweeps, a, peer="torch.compile")
    row.torch_calls(lambda: torch_sweeps(mode="reduce-overhead"), a, peer="torch.compile graphs")
    row.handwritten("jacobi_sweeps", a, sweeps)


def ensemble(name, members):
    Row(name).handwritten("ensemble", given(np.linspace(0, 21, members)))


def ensemble_rk4(name, members, steps):
    rhos = given(np.linspace(0, 21, members))

    def on_jax(rho):
        def slope(y):
            return 10 * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]

        def step(_, y):
            h = 1 / steps
            k1 = slope(y)
            k2 = slope([y + 0.5 * h * k for y, k in zip(y, k1)])
            k3 = slope([y + 0.5 * h * k for y, k in zip(y, k2)])
            k4 = slope([y + h * k for y, k in zip(y, k3)])
            return [y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip(y, k1, k2, k3, k4)]

        return jax.lax.fori_loop(0, steps, step, [jnp.ones_like(rho), jnp.zeros_like(rho), jnp.zeros_like(rho)])

    row = Row(name)
    row.jax(on_jax, rhos, peer="jax.fori_loop")
    row.handwritten("ensemble_rk4", rhos, steps)


def pairwise_min(name, n):
    def on_torch(p):
        return timing.pairwise_min(p, torch.eye(n, dtype=p.dtype, device="cuda")).values

    p = random((n, 3))
    row = Row(name, flops=9 * n * n)
    row.jax(lambda p: timing.pairwise_min(p, jnp.eye(n, dtype=p.dtype)), p)
    row.compiled(on_torch, p)
    row.handwritten("pairwise_min", p)


def argmax(name, n):
    x = random((n,))
    row = Row(name, x.nbytes)
    row.cupy(lambda x: x.argmax(), x)
    row.torch(lambda x: x.argmax(), x)
    row.jax(lambda x: x.argmax(), x)


def dispatch(name):
    x = random((1000,))
    row = Row(name)
    row.cupy(lambda x: timing.chain(cp, x), x)
    row.fused(lambda x: timing.chain(cp, x), x)
    row.jax(lambda x: timing.chain(jnp, x), x)
    row.compiled(lambda x: timing.chain(torch, x), x)
    row.torch(lambda x: timing.chain(torch, x), x)
    row.compiled(lambda x: timing.chain(torch, x), x, peer="torch.cudagraph", mode="reduce-overhead")


def uniform(name, n, dtype):
    row = Row(name, n * np.dtype(dtype).itemsize)
    row.cupy(lambda: cp.random.rand(n, dtype=dtype), peer="cupy.XORWOW")
    generator = cp and cp.random.default_rng(3)
    row.cupy(lambda: generator.random(n, dtype=dtype), peer="cupy.Generator")
    row.jax_calls(lambda: on_key(lambda k: jax.random.uniform(k, (n,), dtype=dtype)), peer="jax")
    row.torch(lambda: torch.rand(n, device="cuda", dtype=getattr(torch, dtype)))


def on_key(function):
    """A jitted function of a random key that already lies on the device."""
    key, jitted = jax.random.PRNGKey(0), jax.jit(function)
    return lambda: jitted(key)


def mcpi(name, n):
    def on_jax(key):
        a, b = (jax.random.uniform(k, (n,), dtype="float32") for k in jax.random.split(key))
        return (a**2 + b**2 < 1).mean()

    def on_torch():
        a, b = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
        return (a**2 + b**2 < 1).float().mean()

    row = Row(name)
    row.cupy(lambda: (cp.random.rand(n, dtype="f4") ** 2 + cp.random.rand(n, dtype="f4") ** 2 < 1).mean())
    row.jax_calls(lambda: on_key(on_jax), peer="jax")
    row.compiled(on_torch)


def cumsum(name, n):
    x = random((n,))
    row = Row(name, 2 * x.nbytes)
    row.cupy(lambda x: x.cumsum(), x)
    row.torch(lambda x: x.cumsum(0), x)
    row.jax(lambda x: x.cumsum(), x)


def sort(name, n):
    x = random((n,))
    row = Row(name, 2 * x.nbytes)
    row.cupy(lambda x: cp.sort(x), x)
    row.torch(lambda x: torch.sort(x), x)


WORKLOADS = {
    "copy@2GiB": (copy,),
    "scale@30000000": (scale, 30_000_000),
    "sinexp@1000000:float32": (sinexp, 1_000_000, "float32"),
    "sinexp@1000000:float64": (sinexp, 1_000_000, "float64"),
    "sinexp@64000000:float32": (sinexp, 64_000_000, "float32"),
    "sinexp@64000000:float64": (sinexp, 64_000_000, "float64"),
    "blackscholes@4000000:float64": (blackscholes, 4_000_000, "float64"),
    "blackscholes@64000000:float64": (blackscholes, 64_000_000, "float64"),
    "blackscholes@4000000:float32": (blackscholes, 4_000_000, "float32"),
    "blackscholes@64000000:float32": (blackscholes, 64_000_000, "float32"),
    "haversine@1000x1000:float64": (haversine, 1000),
    "haversine@8192x8192:float64": (haversine, 8192),
    "rowsum@1000x1000:float32": (rowsum, 1000, 1000),
    "rowsum@16384x16384:float32": (rowsum, 16384, 16384),
    "rowsum@1048576x64:float32": (rowsum, 1 << 20, 64),
    "rowsum@64x1048576:float32": (rowsum, 64, 1 << 20),
    "colsum@1000x1000:float32": (colsum, 1000, 1000),
    "colsum@16384x16384:float32": (colsum, 16384, 16384),
    "prod@4000000:float64": (prod, 4_000_000),
    "prod@256000000:float64": (prod, 256_000_000),
    "sumsq@256000000:float32": (sumsq, 256_000_000),
    "softmax@16384x4096:float32": (softmax, 16384, 4096),
    "softmax@1048576x128:float32": (softmax, 1 << 20, 128),
    "softmax@32768x4096:float16": (softmax, 32768, 4096, "float16"),
    "standardize@16384x4096:float32": (standardize, 16384, 4096),
    "standardize@32768x4096:float16": (standardize, 32768, 4096, "float16"),
    "jacobi2d@1024x1024:float64": (jacobi2d, 1024),
    "jacobi2d@8192x8192:float64": (jacobi2d, 8192),
    "jacobi_sweeps@1024x1024x1000": (jacobi_sweeps, 1024, 1000),
    "pairwise_min@32768:float32": (pairwise_min, 32768),
    "argmax@64000000:float32": (argmax, 64_000_000),
    "lorenz_rk4@40x960x20steps": (programs.lorenz_rk4, 40, 960, 20),
    "lorenz_rk4@4096x9600x20steps": (programs.lorenz_rk4, 4096, 9600, 20),
    "ensemble@1000000:float64": (ensemble, 1_000_000),
    "ensemble_rk4@1000000x1000": (ensemble_rk4, 1_000_000, 1000),
    "dispatch@1000x30ops": (dispatch,),
    "join@16x4000000:float32": (programs.join, 16, 4_000_000),
    "add_rows@100000x64:float32": (programs.add_rows, 100_000, 1_000_000, 64),
    "svd@10000x4x4:float32": (programs.svd, 10_000, 4),
    "svd@1000x32x32:float32": (programs.svd, 1000, 32),
    "rows@1000x1000:float64": (programs.loop, loops.rows, (1000, 1000)),
    "elements@10000:float64": (programs.loop, loops.elements, (10_000,)),
    "gramschmidt@70x60:float64": (programs.loop, loops.gramschmidt, (70, 60)),
    "lu@60:float64": (programs.loop, loops.lu, (60, 60)),
    "seidel@50x8sweeps:float64": (programs.loop, loops.seidel, (50, 50), 8),
    "mandelbrot@1024x1536x20": (programs.mandelbrot, 1024, 1536, 20),
    "mandelbrot@4096x6144x200": (programs.mandelbrot, 4096, 6144, 200),
    "fftconv@512x512:complex64": (programs.fftconv, 512),
    "fftconv@8192x8192:complex64": (programs.fftconv, 8192),
    "uniform@100000:float64": (uniform, 100_000, "float64"),
    "uniform@256000000:float32": (uniform, 256_000_000, "float32"),
    "mcpi@100000000": (mcpi, 100_000_000),
    "smooth@960x25:float64": (programs.smooth, 960, 25),
    "smooth@1000000x25:float64": (programs.smooth, 1_000_000, 25),
    "lorenz04@40x960": (programs.lorenz04, 40, 960),
    "lorenz04@40x960x20steps": (programs.lorenz04_steps, 40, 960, 20),
    "matmul@16:float32": (programs.matmul, 16, "float32"),
    "matmul@1600:float32": (programs.matmul, 1600, "float32"),
    "matmul@8192:float32": (programs.matmul, 8192, "float32"),
    "matmul@8192:float64": (programs.matmul, 8192, "float64"),
    "matmul@8192:float16": (programs.matmul, 8192, "float16"),
    "matmul@1600:tf32": (programs.matmul, 1600, "float32", True),
    "matmul@8192:tf32": (programs.matmul, 8192, "float32", True),
    "matmul_shared@1024:float32": (programs.matmul_shared, 1024),
    "first_matmul@1024:float32": (programs.first, "matmul"),
    "first_fft@512x512:complex64": (programs.first, "fft"),
    "gaussian@8192x8192:float32": (programs.of_scipy, "gaussian", 8192),
    "median3@8192x8192:float32": (programs.of_scipy, "median", 8192, 3),
    "median5@8192x8192:float32": (programs.of_scipy, "median", 8192, 5),
    "coordinates1@4096x4096:float32": (programs.of_scipy, "coordinates", 4096, 1),
    "coordinates3@4096x4096:float32": (programs.of_scipy, "coordinates", 4096, 3),
    "label@4096x4096": (programs.of_scipy, "label", 4096),
    "welch@100000000:float32": (programs.of_scipy, "welch", 100_000_000),
    "laplacian@4096x4096:float64": (programs.of_scipy, "laplacian", 4096),
    "cg@4096x4096:float64": (programs.of_scipy, "cg", 4096),
    "cumsum@64000000:float32": (cumsum, 64_000_000),
    "sort@64000000:float32": (sort, 64_000_000),
    "streams@64000000:float32": (programs.streams, 64_000_000, 16, 64),
}


def main():
    args, names, gpu_row.RECORDER = timing.arguments(WORKLOADS, __doc__)
    if cp is None and torch is None and jax is None:
        raise SystemExit(f"no package here sees a GPU: {gpu_row.WHY_MISSING}")
    for name in names:
        function, *sizes = WORKLOADS[name]
        try:
            function(name, *sizes)
        except Exception as error:  # Inputs that do not fit, say: the other rows still count.
            print(f"{name:32s} ERROR {error!r:.160s}", flush=True)
        gpu_row.release_memory()
    versions = {k: p.__version__ for k, p in gpu_row.PACKAGES.items() if hasattr(p, "__version__")}
    gpu_row.RECORDER.save(args.out, device=gpu_row.device_name(), versions=versions)


if __name__ == "__main__":
    main()
