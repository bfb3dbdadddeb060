"""The workloads that are whole programs: pictures, rings of points, products, transforms, first uses."""

import contextlib

import numpy as np

import rings
import science
import timing
from gpu_row import Row, cp, given, jax, jnp, normal, random, torch


def loop(name, function, shape, *sizes):
    """Far from singular, where the array is a matrix."""
    a = random(shape, "float64")
    if cp is not None and len(shape) == 2:
        a += cp.eye(*shape) * shape[1]
    Row(name).cupy(lambda a: function(cp, a, *sizes), a)


def join(name, count, n):
    parts = [random((n,)) for _ in range(count)]
    row = Row(name, 8 * count * n)
    row.cupy(lambda *parts: cp.concatenate(parts), *parts)
    row.torch(lambda *parts: torch.cat(parts), *parts)


def add_rows(name, rows, count, columns):
    values, at = random((count, columns)), random((count,), "float64", 0, rows).astype("int64")
    row = Row(name, 4 * columns * (count + 2 * rows) + 8 * count)

    def on_cupy(values, at):
        sums = cp.zeros((rows, columns), "float32")
        cp.add.at(sums, at, values)
        return sums

    row.cupy(on_cupy, values, at)
    row.torch(lambda v, at: torch.zeros((rows, columns), device="cuda").index_add(0, at, v), values, at)


def svd(name, batch, n):
    a = random((batch, n, n), "float32", -1, 1)
    row = Row(name)
    row.cupy(lambda a: cp.linalg.svd(a, full_matrices=False), a)
    row.torch(lambda a: torch.linalg.svd(a, full_matrices=False), a)


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
    row.handwritten("mandelbrot_strided", height, width, limit, peer="handwritten grid-stride")
    if limit <= 100:  # Every pixel takes every iteration there.
        row.jax(on_jax, 0)


def smooth(name, n, m):
    z, a = random((n,), "float64"), given(rings.smooth_weights(m))
    row = Row(name, 8 * (2 * n + m))
    row.handwritten("smooth", z, a)
    row.cupy(lambda z, a: rings.smooth(cp, z, a), z, a)
    row.cupy(lambda z, a: rings.smooth_windows(cp, cupy_windows, z, a), z, a, peer="cupy windows")
    row.jax(lambda z, a: rings.smooth(jnp, z, a), z, a)
    row.compiled(lambda z, a: rings.smooth(torch, z, a), z, a)


def cupy_windows(*arguments):
    return cp.lib.stride_tricks.sliding_window_view(*arguments)


def lorenz04(name, members, points):
    """One step."""
    z = random((members, points), "float64", 14.9, 15.1)
    windows = cp and rings.Windows(cp, cupy_windows)
    row = Row(name, 2 * z.nbytes)
    row.cupy(lambda z: rings.step(rings.Slices(cp), z), z)
    row.cupy(lambda z: rings.step(windows, z), z, peer="cupy windows")
    row.jax(lambda z: rings.step(rings.Slices(jnp), z), z)
    row.compiled(lambda z: rings.step(rings.Slices(torch), z), z)


def lorenz04_steps(name, members, points, steps):
    """Several steps: one call for each, and a loop that is compiled as a whole."""

    def step(z):
        return rings.step(rings.Slices(jnp), z)

    def jax_steps():
        jitted = jax.jit(step)
        return lambda z: timing.repeat(jitted, z, steps)

    def loop(z):
        return jax.lax.fori_loop(0, steps, lambda _, q: step(q), z)

    z = random((members, points), "float64", 14.9, 15.1)
    windows = cp and rings.Windows(cp, cupy_windows)
    row = Row(name, steps * 2 * z.nbytes)
    row.cupy(lambda z: timing.repeat(lambda q: rings.step(windows, q), z, steps), z, peer="cupy windows")
    row.jax_calls(jax_steps, z, peer="jax.step")
    row.jax(loop, z, peer="jax.fori_loop")


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


def fftconv(name, n):
    """A convolution of real planes: as they are, and made complex on the way in."""

    def convolve(fft, a, b):
        return fft.ifft2(fft.fft2(a) * fft.fft2(b)).real

    planes = random((n, n)), random((n, n))
    row = Row(name)
    for label, dtype in ("", "complex64"), (" reals", "float32"):

        def on_cupy(a, b, dtype=dtype):
            return convolve(cp.fft, a.astype(dtype, copy=False), b.astype(dtype, copy=False))

        def on_jax(a, b, dtype=dtype):
            return convolve(jnp.fft, a.astype(dtype), b.astype(dtype))

        def on_torch(a, b, dtype=dtype):
            return convolve(torch.fft, a.to(getattr(torch, dtype)), b.to(getattr(torch, dtype)))

        row.cupy(on_cupy, *planes, peer=f"cupy{label}")
        row.jax(on_jax, *planes, peer=f"jax{label}")
        row.torch(on_torch, *planes, peer=f"torch{label}")


def matmul(name, n, dtype, tf32=False):
    """A product as IEEE has it, which of float32 JAX must be told; or by tensor cores, which the others must be."""
    label = " TF32" if tf32 else ""
    precision = "highest" if dtype == "float32" and not tf32 else None

    def on_cupy():
        # CuPy has no public name for what CUPY_TF32 sets for a whole process.
        if tf32:
            from cupy._core import _routines_linalg as linalg

            linalg.set_compute_type(np.float32, linalg.COMPUTE_TYPE_TF32)
        return lambda: a_cupy @ b_cupy

    a, b = normal((n, n), dtype), normal((n, n), dtype)
    a_cupy, b_cupy = (cp.from_dlpack(x) if cp is not None else None for x in (a, b))
    row = Row(name, flops=2 * n**3)
    row.peer(f"cupy{label}", on_cupy, lambda: cp.cuda.Device().synchronize())
    row.jax(lambda a, b: jnp.matmul(a, b, precision=precision), a, b, peer=f"jax{label}")
    if torch is not None:
        torch.backends.cuda.matmul.allow_tf32 = tf32
    row.torch(lambda a, b: a @ b, a, b, peer=f"torch{label}")
    restore_precision(tf32)


def restore_precision(tf32):
    """Later products are IEEE's again."""
    if torch is not None:
        torch.backends.cuda.matmul.allow_tf32 = False
    if tf32 and cp is not None:
        with contextlib.suppress(ImportError, AttributeError):  # Then it was not set either.
            from cupy._core import _routines_linalg as linalg

            linalg.set_compute_type(np.float32, linalg.COMPUTE_TYPE_DEFAULT)


def of_scipy(name, *workload):
    """What CuPy has of SciPy."""

    def make():
        import cupyx.scipy.ndimage
        import cupyx.scipy.signal
        import cupyx.scipy.sparse.linalg
        from cupyx import scipy

        return science.calls(cp, scipy.ndimage, scipy.signal, scipy.sparse, scipy.sparse.linalg, *workload)

    Row(name).peer("cupy", make, lambda: cp.cuda.Device().synchronize())


def matmul_shared(name, n):
    a, b = normal((n, n)), normal((n, n))
    Row(name, flops=2 * n**3).handwritten("matmul_shared", a, b)


def first(name, what):
    row = Row(name)
    row.first_use("cupy", what, 3)
    row.first_use("torch", what, 3)


def streams(name, n, parts, nodes):
    """Bessel's J0 of data on the host, part by part: pinned buffers, one stream or two in turn."""
    sines = np.sin((np.arange(nodes) + 0.5) * np.pi / nodes).astype("float32")
    values = (20 * (np.arange(n) * 0.6180339887498949 % 1.0)).astype("float32")
    row, size = Row(name, 8 * n), -(-n // parts)

    def on_cupy(count):
        import cupyx

        bessel = cp.ElementwiseKernel(
            "float32 x, raw float32 s, int32 nodes",
            "float32 y",
            "float sum = 0; for (int k = 0; k < nodes; ++k) sum += cosf(x * s[k]); y = sum / nodes",
            "bessel",
        )
        x, y, s = cupyx.empty_pinned(n, "float32"), cupyx.empty_pinned(n, "float32"), cp.asarray(sines)
        x[:] = values
        queues = [cp.cuda.Stream(non_blocking=True) for _ in range(count)]
        cp.cuda.Device().synchronize()

        def run():
            for k, start in enumerate(range(0, n, size)):
                with queues[k % count]:
                    part = cp.empty(min(size, n - start), "float32")
                    part.set(x[start : start + size])
                    bessel(part, s, nodes).get(out=y[start : start + size], blocking=False)
            for queue in queues:
                queue.synchronize()

        return run

    def on_torch(count):
        torch._dynamo.reset()
        function = torch.compile(lambda x, s: torch.cos(x[:, None] * s).mean(-1), dynamic=False)
        x, y = torch.from_numpy(values).pin_memory(), torch.empty(n, pin_memory=True)
        s, queues = torch.from_numpy(sines).cuda(), [torch.cuda.Stream() for _ in range(count)]
        torch.cuda.synchronize()

        def run():
            for k, start in enumerate(range(0, n, size)):
                with torch.cuda.stream(queues[k % count]):
                    part = x[start : start + size].to("cuda", non_blocking=True)
                    y[start : start + size].copy_(function(part, s), non_blocking=True)
            for queue in queues:
                queue.synchronize()

        return run

    for count, words in ((1, "one stream"), (2, "two streams")):
        row.peer(f"cupy {words}", lambda count=count: on_cupy(count), lambda: None)
        row.peer(f"torch {words}", lambda count=count: on_torch(count), lambda: None)
