#!/usr/bin/env python3
"""The programs of `programs.rs` in NumPy or CuPy, checked and timed beside Lazuli's.

    peers.py [NAMES…] [--cupy] [--lazuli BINARY] [--device D] [--out ROWS.json]

A row is the least of five runs after the first one, and the first, in milliseconds. With --lazuli, the binary that
`cargo bench --bench natural --no-run` leaves runs each program straight after its peer.
"""

import argparse
import json
import subprocess
import sys
import time

import numpy

xp = numpy
PROGRAMS, RUNS = {}, 5


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def noise(shape, seed):
    length = int(numpy.prod(shape))
    mixed = (numpy.arange(length, dtype=numpy.uint64) + numpy.uint64(seed * 7919 + 1)) * numpy.uint64(2654435761)
    mixed %= numpy.uint64(4294967296)
    mixed = mixed * (mixed >> numpy.uint64(16)) % numpy.uint64(4294967291)
    return xp.asarray((mixed.astype(float) / 2147483648.0 - 1.0).reshape(shape))


@program
def recurrent():
    xs, b = noise((150, 32, 64), 1), noise((96,), 4)
    wx, wh = noise((64, 96), 2) * 0.1, noise((96, 96), 3) * 0.1
    h = xp.zeros((32, 96))
    for t in range(150):
        h = xp.tanh(xs[t] @ wx + h @ wh + b)
    return h.sum()


@program
def particles():
    n = 5000
    x, steps = noise((n,), 1), noise((60, n), 2)
    places = (xp.arange(n) + 0.5) / n
    means = xp.zeros(60)
    for t in range(60):
        x = x * 0.9 + steps[t] * 0.3
        seen = numpy.sin(t * 0.2)
        w = xp.exp((x - seen) ** 2 * -4.0)
        w = w / w.sum()
        means[t] = (w * x).sum()
        x = x[xp.clip(xp.searchsorted(xp.cumsum(w), places), 0, n - 1)]
    return means.sum()


@program
def wave():
    x = xp.linspace(-1.0, 1.0, 256)
    u = xp.exp((x**2 + (x**2)[:, None]) * -40.0)
    before = u.copy()
    for _ in range(200):
        after = u * 2.0 - before
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - u[1:-1, 1:-1] * 4.0
        after[1:-1, 1:-1] = after[1:-1, 1:-1] + around * 0.2
        after[0] = 0.0
        after[-1] = 0.0
        after[:, 0] = 0.0
        after[:, -1] = 0.0
        before, u = u, after
    return (u**2).sum()


@program
def deflation():
    a = noise((200, 200), 1)
    a = a @ a.T
    total = 0.0
    for _ in range(4):
        v = xp.ones(200)
        for _ in range(60):
            w = a @ v
            v = w / xp.sqrt((w**2).sum())
        value = float(v @ (a @ v))
        a = a - v[:, None] * v * value
        total += value
    return total


@program
def bootstrap():
    x = noise((1000,), 1)
    chosen = xp.clip(xp.floor((noise((2000, 1000), 2) + 1.0) * 500.0).astype(numpy.int64), 0, 999)
    means = xp.sort(x[chosen].mean(1))
    return float(means[50]) + float(means[1949])


@program
def hausdorff():
    a, b = noise((1500, 3), 1), noise((1200, 3), 2) * 1.1
    d = xp.sqrt(((a[:, None] - b[None]) ** 2).sum(2))
    return xp.maximum(d.min(1).max(), d.min(0).max())


@program
def ratings():
    r, mask = noise((400, 300), 1), (noise((400, 300), 2) > 0.0).astype(float)
    p, q = noise((400, 16), 3) * 0.1, noise((300, 16), 4) * 0.1
    for _ in range(60):
        e = (r - p @ q.T) * mask
        dp, dq = e @ q - p * 0.02, e.T @ p - q * 0.02
        p += dp * 0.005
        q += dq * 0.005
    return (((r - p @ q.T) * mask) ** 2).sum()


@program
def mixture():
    x = noise((20000,), 1) + noise((20000,), 2) * noise((20000,), 3)
    mean, var, weight = xp.array([-0.6, 0.0, 0.7]), xp.ones(3) * 0.2, xp.ones(3) / 3.0
    for _ in range(40):
        d = (x[:, None] - mean) ** 2
        p = xp.exp(d / var * -0.5) * weight / xp.sqrt(var)
        r = p / p.sum(1, keepdims=True)
        n = r.sum(0)
        mean = (r * x[:, None]).sum(0) / n
        var = (r * (x[:, None] - mean) ** 2).sum(0) / n
        weight = n / 20000.0
    return ((mean + var * 2.0 + weight * 3.0) ** 2).sum()


@program
def fdtd():
    n = 200
    ez, hx, hy = xp.zeros((n, n)), xp.zeros((n, n - 1)), xp.zeros((n - 1, n))
    probe = xp.zeros(150)
    for t in range(150):
        hx -= (ez[:, 1:] - ez[:, :-1]) * 0.5
        hy += (ez[1:] - ez[:-1]) * 0.5
        curl = hy[1:, 1:-1] - hy[:-1, 1:-1] - (hx[1:-1, 1:] - hx[1:-1, :-1])
        ez[1:-1, 1:-1] += curl * 0.5
        ez[100, 100] += numpy.sin(t * 0.1)
        probe[t] = ez[120, 110]
    return (probe**2).sum()


@program
def denoise():
    f = noise((256, 256), 1)
    px, py, u = xp.zeros((256, 256)), xp.zeros((256, 256)), f
    for _ in range(40):
        gx = xp.roll(u, -1, 1) - u
        gy = xp.roll(u, -1, 0) - u
        norm = xp.sqrt(gx**2 + gy**2) * 0.25 + 1.0
        px = (px + gx * 0.25) / norm
        py = (py + gy * 0.25) / norm
        u = f + (px - xp.roll(px, 1, 1) + py - xp.roll(py, 1, 0))
    return (u**2).sum()


@program
def batches():
    x, order = noise((6400, 20), 1), xp.argsort(noise((6400,), 2))
    y = (x.sum(1) > 0.2).astype(float)
    w = xp.zeros(20)
    for k in range(200):
        at = k % 100 * 64
        rows = order[at : at + 64]
        xb, yb = x[rows], y[rows]
        p = 1.0 / (1.0 + xp.exp(-(xb @ w)))
        w -= xb.T @ (p - yb) * 0.01
    return (w**2).sum()


@program
def eigenvalues():
    a = noise((24, 24), 1)
    a = a + a.T
    for _ in range(100):
        q, r = xp.linalg.qr(a)
        a = r @ q
    return xp.abs(xp.diag(a)).sum()


@program
def square_root():
    a = noise((80, 80), 1)
    y, z = a @ a.T + xp.eye(80) * 10.0, xp.eye(80)
    for _ in range(12):
        y, z = (y + xp.linalg.inv(z)) * 0.5, (z + xp.linalg.inv(y)) * 0.5
    return xp.trace(y)


@program
def percolation():
    n = 64
    occupied = noise((n, n), 1) > -0.3
    label = xp.where(occupied, xp.arange(n * n).reshape(n, n) + 1.0, 0.0)
    while True:
        padded = xp.pad(label, 1)
        most = xp.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
        most = xp.maximum(most, padded[1:-1, :-2])
        most = xp.maximum(xp.maximum(most, padded[1:-1, 2:]), label)
        after = xp.where(occupied, most, 0.0)
        if (after == label).all():
            break
        label = after
    return len(xp.unique(label))


@program
def adam():
    n = 10000
    x, m, v = noise((n,), 1), xp.zeros(n), xp.zeros(n)
    for t in range(1, 301):
        a, b = x[:-1], x[1:]
        inner = b - a**2
        g = xp.zeros(n)
        g[:-1] = a * inner * -400.0 - (1.0 - a) * 2.0
        g[1:] += inner * 200.0
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g**2 * 0.001
        mh = m / (1.0 - 0.9**t)
        vh = v / (1.0 - 0.999**t)
        x -= mh / (xp.sqrt(vh) + 1e-8) * 0.01
    return x.sum()


@program
def smoothing():
    x, y = noise((2000,), 1), xp.zeros(2000)
    y[0] = x[0]
    for i in range(1, 2000):
        y[i] = x[i] * 0.2 + y[i - 1] * 0.8
    return (y**2).sum()


@program
def fire():
    n = 128
    chance = noise((100, n, n), 1)
    forest, burning = xp.ones((n, n), dtype=numpy.int64), xp.zeros(100)
    for t in range(100):
        on_fire = forest == 2
        near = xp.roll(on_fire, 1, 0) | xp.roll(on_fire, -1, 0) | xp.roll(on_fire, 1, 1) | xp.roll(on_fire, -1, 1)
        tree, empty = forest == 1, forest == 0
        c = chance[t]
        after = forest.copy()
        after[on_fire] = 0
        after[tree & (near | (c < -0.999))] = 2
        after[empty & (c > 0.9)] = 1
        forest = after
        burning[t] = (forest == 2).sum()
    return burning.sum() + forest.sum()


@program
def tracking():
    n = 96
    x, y = xp.arange(n) * 1.0, (xp.arange(n) * 1.0)[:, None]
    path = xp.zeros((80, 2))
    for t in range(80):
        cx, cy = 48.0 + 30.0 * numpy.cos(t * 0.1), 48.0 + 30.0 * numpy.sin(t * 0.07)
        frame = xp.exp(((x - cx) ** 2 + (y - cy) ** 2) * -0.05)
        k = int(frame.argmax())
        path[t, 0] = k // n
        path[t, 1] = k % n
    return xp.sqrt(((path[1:] - path[:-1]) ** 2).sum(1)).sum()


def measure(function):
    def once():
        start = time.perf_counter()
        value = float(function())
        return (time.perf_counter() - start) * 1e3, value

    first, value = once()
    return min(once()[0] for _ in range(RUNS)), first, value


def main():
    global xp
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cupy", action="store_true")
    parser.add_argument("--lazuli")
    parser.add_argument("--device", default=None)
    parser.add_argument("--out")
    given = parser.parse_args()
    if given.cupy:
        import cupy

        xp = cupy
    rows, wrong = [], []
    for name in given.names or PROGRAMS:
        ms, first, value = measure(PROGRAMS[name])
        row = {"program": name, "peer_ms": ms, "peer_first_ms": first, "value": value}
        if given.lazuli:
            command = [given.lazuli, name] + (["--device", given.device] if given.device else [])
            answer = subprocess.run(command, capture_output=True, text=True)
            if answer.returncode != 0:
                wrong.append(name)
                print(f"{name:14} FAILED {answer.stderr.strip()}", flush=True)
                continue
            own = answer.stdout.splitlines()[-1].split()
            row |= {"ms": float(own[1]), "first_ms": float(own[2]), "plans": int(own[4])}
            off = abs(float(own[3]) - value) / max(abs(value), 1e-300)
            row |= {"off_by": off, "ratio": ms / row["ms"]}
            if not off < 1e-6:
                wrong.append(name)
            print(
                f"{name:14} {row['ms']:9.3f} first {row['first_ms']:9.2f}  peer {ms:9.3f} first {first:9.2f}"
                f"  ratio {row['ratio']:6.2f}  off by {off:.1e}  {row['plans']} plans later",
                flush=True,
            )
        else:
            print(f"{name:14} {ms:9.3f} first {first:9.2f}  {value:.12e}", flush=True)
        rows.append(row)
    if given.out:
        with open(given.out, "w") as file:
            json.dump(rows, file, indent=1)
    if wrong:
        sys.exit(f"wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
