#!/usr/bin/env python3
"""Peer figures on one GPU: CuPy, JAX, torch.compile, Numba-CUDA and hand-written CUDA.

    gpu.py OUT.json [--quick] [names…]

A package that is missing is skipped with a line. `first_ms` holds compiling.
"""

import os
import warnings

import numpy as np

import timing

warnings.filterwarnings("ignore")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")

# Numba-CUDA still asks NumPy for names that newer releases removed.
for removed, present in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, removed):
        setattr(np, removed, getattr(np, present))

WHY_MISSING = {}
try:
    import cupy as cp

    import gpu_handwritten as handwritten

    cp.cuda.Device().synchronize()
except Exception as error:
    cp, WHY_MISSING["cupy"] = None, repr(error)[:100]
try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.devices("gpu")
except Exception as error:
    jax, WHY_MISSING["jax"] = None, repr(error)[:100]
try:
    import torch

    torch.cuda.synchronize()
except Exception as error:
    torch, WHY_MISSING["torch"] = None, repr(error)[:100]
try:
    import gpu_numba as numba_kernels
except Exception as error:
    numba_kernels, WHY_MISSING["numba"] = None, repr(error)[:100]

recorder = None
PACKAGES = {"cupy": cp, "cudaMemcpy": cp, "handwritten": cp, "jax": jax, "torch": torch, "numba": numba_kernels}


def random(shape, dtype="float32", low=0.0, high=1.0):
    """Uniform input on the device, made by whichever package is there."""
    if cp is not None:
        x = cp.random.random_sample(shape, dtype="float64" if dtype == "float64" else "float32")
        x *= high - low
        x += low
        return x.astype(dtype, copy=False)
    if torch is not None:
        return torch.rand(shape, device="cuda", dtype=getattr(torch, dtype)) * (high - low) + low
    return jax.random.uniform(jax.random.key(1), shape, dtype, low, high)


def normal(shape, dtype="float32"):
    if cp is not None:
        return cp.random.standard_normal(shape, dtype="float32").astype(dtype, copy=False)
    if torch is not None:
        return torch.randn(shape, device="cuda", dtype=getattr(torch, dtype))
    return jax.random.normal(jax.random.key(1), shape, dtype)


class Row:
    """One workload: each method adds a peer's figure. Arrays pass between the packages without a copy."""

    def __init__(self, name, nbytes=0, flops=0):
        self.name, self.nbytes, self.flops = name, nbytes, flops

    def peer(self, peer, make, sync):
        package = peer.split(".")[0]
        if PACKAGES[package] is None:
            reason = WHY_MISSING.get(package) or WHY_MISSING.get("cupy")
            return recorder.skip(package, reason)
        recorder.row(self.name, peer, make, sync, self.nbytes, self.flops)

    def cupy(self, function, *arrays, peer="cupy"):
        def make():
            held = [cp.from_dlpack(a) for a in arrays]
            return lambda: function(*held)

        self.peer(peer, make, lambda: cp.cuda.Device().synchronize())

    def fused(self, function, *arrays):
        # The name of the kernel is that of the function, which a lambda has none of.
        fused = cp and cp.fuse(kernel_name="fused")(function)
        self.cupy(lambda *a, f=fused: f(*a), *arrays, peer="cupy.fuse")

    def handwritten(self, kernel, *arguments):
        """`kernel` is a builder of gpu_handwritten.py: arguments in, a callable that launches out."""
        build = lambda: getattr(handwritten, kernel)(*arguments)
        self.peer("handwritten", build, lambda: cp.cuda.Device().synchronize())

    def jax(self, function, *arrays, peer="jax"):
        """Times `function` under `jit`."""
        self.jax_calls(lambda: jax.jit(function), *arrays, peer=peer)

    def jax_calls(self, build, *arrays, peer):
        """Times what `build` returns; the last result is what a batch waits for."""
        last = []

        def make():
            call = build()
            held = [jax.dlpack.from_dlpack(a) if hasattr(a, "__dlpack__") else a for a in arrays]

            def run():
                last[:] = [call(*held)]

            return run

        self.peer(peer, make, lambda: jax.block_until_ready(last))

    def torch(self, function, *arrays):
        self.torch_calls(lambda: function, *arrays, peer="torch")

    def compiled(self, function, *arrays, peer="torch.compile", **options):
        """torch.compile from a clean state, so that no earlier size makes this one a dynamic shape."""

        def build():
            torch._dynamo.reset()
            return torch.compile(function, dynamic=False, **options)

        self.torch_calls(build, *arrays, peer=peer)

    def torch_calls(self, build, *arrays, peer):
        def make():
            call, held = build(), [torch.from_dlpack(a) for a in arrays]
            return lambda: call(*held)

        self.peer(peer, make, lambda: torch.cuda.synchronize())

    def numba(self, kernel, peer, *arguments):
        """`kernel` is a builder of gpu_numba.py: arguments in, a callable that launches out."""
        build = lambda: getattr(numba_kernels, kernel)(*arguments)
        self.peer(f"numba.{peer}", build, lambda: numba_kernels.cuda.synchronize())

    def everywhere(self, function, *arrays):
        """A text that is the same in all three."""
        self.cupy(function, *arrays)
        self.jax(function, *arrays)
        self.compiled(function, *arrays)


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


def softmax(name, ny, nx):
    x = normal((ny, nx))
    row = Row(name, 2 * x.nbytes)
    row.cupy(lambda x: timing.softmax(cp, x), x)
    row.jax(lambda x: jax.nn.softmax(x, 1), x)
    row.compiled(lambda x: torch.softmax(x, 1), x)
    row.torch(lambda x: torch.softmax(x, 1), x)


def standardize(name, ny, nx):
    def on_torch(x):
        return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True, unbiased=False)

    x = normal((ny, nx))
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


def lorenz_rk4(name, members, points, steps):
    def loop(z):
        return jax.lax.fori_loop(0, steps, lambda _, q: timing.rk4_step(jnp.roll, q), z)

    def jax_steps():
        step = jax.jit(lambda z: timing.rk4_step(jnp.roll, z))
        return lambda z: timing.repeat(step, z, steps)

    def torch_steps():
        torch._dynamo.reset()
        step = torch.compile(lambda z: timing.rk4_step(torch.roll, z), dynamic=False)
        return lambda z: timing.repeat(step, z, steps)

    z = random((members, points), "float64", 7.98, 8.02)
    row = Row(name, steps * 2 * z.nbytes)
    row.cupy(lambda z: timing.repeat(lambda q: timing.rk4_step(cp.roll, q), z, steps), z)
    row.jax_calls(jax_steps, z, peer="jax.step")
    row.jax(loop, z, peer="jax.fori_loop")
    row.torch_calls(torch_steps, z, peer="torch.compile")


def dispatch(name):
    x = random((1000,))
    row = Row(name)
    row.cupy(lambda x: timing.chain(cp, x), x)
    row.fused(lambda x: timing.chain(cp, x), x)
    row.jax(lambda x: timing.chain(jnp, x), x)
    row.compiled(lambda x: timing.chain(torch, x), x)
    row.torch(lambda x: timing.chain(torch, x), x)
    row.compiled(lambda x: timing.chain(torch, x), x, peer="torch.cudagraph", mode="reduce-overhead")


def mandelbrot(name, height, width, limit):
    def on_jax(_):
        x, y = -2.0 + jnp.arange(width) * (3.0 / width), -1.0 + jnp.arange(height) * (2.0 / height)
        cr, ci = jnp.broadcast_arrays(x[None], y[:, None])

        def body(_, state):
            a, b, count, inside = state
            a2, b2 = a * a - b * b + cr, 2 * a * b + ci
            stays = inside & (a2 * a2 + b2 * b2 < 4)
            return jnp.where(inside, a2, a), jnp.where(inside, b2, b), count + stays, stays

        zero = jnp.zeros((height, width))
        start = zero, zero, jnp.zeros((height, width), jnp.uint8), jnp.ones((height, width), bool)
        return jax.lax.fori_loop(0, limit, body, start)[2]

    row = Row(name, height * width)
    row.numba("mandelbrot", "cuda.jit", height, width, limit)
    row.handwritten("mandelbrot", height, width, limit)
    if limit <= 100:  # Every pixel takes every iteration there.
        row.jax(on_jax, 0)


def fftconv(name, n):
    def convolve(fft, cast):
        return lambda a, b: fft.ifft2(fft.fft2(cast(a)) * fft.fft2(cast(b))).real

    image, mask = random((n, n)), random((n, n))
    row = Row(name)
    row.cupy(lambda a, b: convolve(cp.fft, lambda x: x.astype("complex64"))(a, b), image, mask)
    row.jax(lambda a, b: convolve(jnp.fft, lambda x: x.astype("complex64"))(a, b), image, mask)
    row.torch(lambda a, b: convolve(torch.fft, lambda x: x.to(torch.complex64))(a, b), image, mask)


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


def matmul(name, n, dtype):
    a, b = normal((n, n), dtype), normal((n, n), dtype)
    row = Row(name, flops=2 * n**3)
    row.cupy(lambda a, b: a @ b, a, b)
    row.jax(lambda a, b: a @ b, a, b)
    row.torch(lambda a, b: a @ b, a, b)


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
    "standardize@16384x4096:float32": (standardize, 16384, 4096),
    "jacobi2d@1024x1024:float64": (jacobi2d, 1024),
    "jacobi2d@8192x8192:float64": (jacobi2d, 8192),
    "pairwise_min@32768:float32": (pairwise_min, 32768),
    "argmax@64000000:float32": (argmax, 64_000_000),
    "lorenz_rk4@40x960x20steps": (lorenz_rk4, 40, 960, 20),
    "lorenz_rk4@4096x9600x20steps": (lorenz_rk4, 4096, 9600, 20),
    "dispatch@1000x30ops": (dispatch,),
    "mandelbrot@1024x1536x20": (mandelbrot, 1024, 1536, 20),
    "mandelbrot@4096x6144x200": (mandelbrot, 4096, 6144, 200),
    "fftconv@512x512:complex64": (fftconv, 512),
    "fftconv@8192x8192:complex64": (fftconv, 8192),
    "uniform@100000:float64": (uniform, 100_000, "float64"),
    "uniform@256000000:float32": (uniform, 256_000_000, "float32"),
    "mcpi@100000000": (mcpi, 100_000_000),
    "matmul@1600:float32": (matmul, 1600, "float32"),
    "matmul@8192:float32": (matmul, 8192, "float32"),
    "matmul@8192:float64": (matmul, 8192, "float64"),
    "matmul@8192:float16": (matmul, 8192, "float16"),
    "cumsum@64000000:float32": (cumsum, 64_000_000),
    "sort@64000000:float32": (sort, 64_000_000),
}


def release_memory():
    """The pools of three packages share one card."""
    if cp is not None:
        cp.get_default_memory_pool().free_all_blocks()
    if torch is not None:
        torch.cuda.empty_cache()


def device_name():
    if torch is not None:
        return torch.cuda.get_device_name()
    if cp is not None:
        return cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return str(jax.devices("gpu")[0])


def main():
    global recorder
    args, names, recorder = timing.arguments(WORKLOADS, __doc__)
    if cp is None and torch is None and jax is None:
        raise SystemExit(f"no package here sees a GPU: {WHY_MISSING}")
    for name in names:
        function, *sizes = WORKLOADS[name]
        try:
            function(name, *sizes)
        except Exception as error:  # Inputs that do not fit, say: the other rows still count.
            print(f"{name:32s} ERROR {error!r:.160s}", flush=True)
        release_memory()
    versions = {k: p.__version__ for k, p in PACKAGES.items() if hasattr(p, "__version__")}
    recorder.save(args.out, device=device_name(), versions=versions)


if __name__ == "__main__":
    main()
