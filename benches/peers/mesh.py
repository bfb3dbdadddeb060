"""JAX's sharded arrays beside the example `scaling`: the same programs, sizes and devices in one run.

    python3 mesh.py NY NX DEVICES STEPS

Each step is one call of a jitted function over an array that is cut along its first axis. Prints, for each program, the
milliseconds of a step on 1, 2, ... devices: weak (rows for each device), then strong (rows for all).
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import rings

jax.config.update("jax_enable_x64", True)


def sweep(u):
    inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u.at[1:-1, 1:-1].set(inner)


MODEL = rings.Slices(jnp)


def timed(step, state, steps, repeat=10):
    times = []
    for run in range(repeat + 1):
        s = state
        jax.block_until_ready(s)
        begun = time.perf_counter()
        for _ in range(steps):
            s = step(s)
        jax.block_until_ready(s)
        if run:
            times.append((time.perf_counter() - begun) * 1e3 / steps)
    return statistics.median(times)


def measured(count, ny, nx, steps):
    mesh = Mesh(np.array(jax.devices()[:count]), ("x",))
    rows = NamedSharding(mesh, PartitionSpec("x"))
    plate = jax.device_put(np.full((ny, nx), 0.5), rows)
    members = max(ny // 8, 1)
    ring = jax.device_put(15.0 + np.sin(0.618 * np.arange(members * 960.0)).reshape(members, 960), rows)
    added = jax.jit(lambda x, y: x + 2.0 * y, out_shardings=rows)
    out = [
        timed(jax.jit(sweep, out_shardings=rows), plate, steps),
        timed(lambda x: added(x, plate), plate, steps),
    ]
    total = jax.jit(jnp.sum)
    begun = []
    for run in range(11):
        start = time.perf_counter()
        for _ in range(steps):
            float(total(plate))
        begun.append((time.perf_counter() - start) * 1e3 / steps)
    out.append(statistics.median(begun[1:]))
    out.append(timed(jax.jit(lambda z: rings.step(MODEL, z), out_shardings=rows), ring, steps))
    return out


def main():
    ny, nx, devices, steps = map(int, sys.argv[1:5])
    names = ["jacobi", "x += 2*y", "sum", "lorenz04"]
    weak, strong = [], []
    for count in range(1, devices + 1):
        weak.append(measured(count, ny * count, nx, steps))
        strong.append(measured(count, ny, nx, steps))
    for how, table in (("weak", weak), ("strong", strong)):
        for k, name in enumerate(names):
            times = "  ".join(f"{row[k]:.4f}" for row in table)
            print(f"jax {name:<9} {how:<6} ms a step on 1, 2, ...: {times}", flush=True)


if __name__ == "__main__":
    main()
