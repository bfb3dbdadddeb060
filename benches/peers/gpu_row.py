"""The packages that see a GPU, arrays of theirs, and what adds a peer's figure to a workload's row."""

import os
import re
import statistics
import subprocess
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")

# Numba-CUDA still asks NumPy for names that newer releases removed.
for removed, present in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, removed):
        setattr(np, removed, getattr(np, present))

cp = jax = jnp = torch = handwritten = numba_kernels = None
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

RECORDER = None  # The script that runs sets it.
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


def given(values):
    """A float64 array of these values on the device."""
    if cp is not None:
        return cp.asarray(values, dtype="float64")
    if torch is not None:
        return torch.tensor(values, device="cuda", dtype=torch.float64)
    return jnp.asarray(values, dtype="float64")


class Row:
    """One workload: each method adds a peer's figure. Arrays pass between the packages without a copy."""

    def __init__(self, name, nbytes=0, flops=0):
        self.name, self.nbytes, self.flops = name, nbytes, flops

    def peer(self, peer, make, sync):
        package = re.split("[. ]", peer)[0]
        if PACKAGES[package] is None:
            reason = WHY_MISSING.get(package) or WHY_MISSING.get("cupy")
            return RECORDER.skip(package, reason)
        RECORDER.row(self.name, peer, make, sync, self.nbytes, self.flops)

    def cupy(self, function, *arrays, peer="cupy"):
        def make():
            held = [cp.from_dlpack(a) for a in arrays]
            return lambda: function(*held)

        self.peer(peer, make, lambda: cp.cuda.Device().synchronize())

    def fused(self, function, *arrays):
        # The name of the kernel is that of the function, which a lambda has none of.
        fused = cp and cp.fuse(kernel_name="fused")(function)
        self.cupy(lambda *a, f=fused: f(*a), *arrays, peer="cupy.fuse")

    def handwritten(self, kernel, *arguments, peer="handwritten"):
        """`kernel` is a builder of gpu_handwritten.py: arguments in, a callable that launches out."""
        build = lambda: getattr(handwritten, kernel)(*arguments)
        self.peer(peer, build, lambda: cp.cuda.Device().synchronize())

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

    def torch(self, function, *arrays, peer="torch"):
        self.torch_calls(lambda: function, *arrays, peer=peer)

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

    def first_use(self, package, what, processes):
        """The first use of something in a process of its own, which gpu_first.py times: the median of several."""
        if PACKAGES[package] is None:
            return RECORDER.skip(package, WHY_MISSING.get(package))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_first.py")

        def run(_):
            done = subprocess.run([sys.executable, script, package, what], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-160:])
            return float(done.stdout)

        RECORDER.figure(self.name, package, lambda: statistics.median(map(run, range(processes))))

    def everywhere(self, function, *arrays):
        """A text that is the same in all three."""
        self.cupy(function, *arrays)
        self.jax(function, *arrays)
        self.compiled(function, *arrays)


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
