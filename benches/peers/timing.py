"""What both peer scripts share: the timer, the table of results, and the formulas of the workloads.

A figure is wall time an evaluation, host work included: the median over batches of calls, each batch closed by one
synchronisation. A formula takes its array module as `xp`, so that every peer runs the same text.
"""

import argparse
import fnmatch
import json
import math
import statistics
import sys
import time

# Seconds of the same work before it is timed.
SETTLE = 0.2


class Recorder:
    """Times callables and collects one row for each workload and peer."""

    def __init__(self, min_time, batches):
        self.min_time, self.batches = min_time, batches
        self.results, self.skipped = [], set()

    def skip(self, package, why):
        """Says once that a package is missing; its rows are then absent, and the rest goes on."""
        if package not in self.skipped:
            self.skipped.add(package)
            print(f"skipped: {package} ({why})", flush=True)

    def row(self, workload, peer, make, sync, nbytes=0, flops=0):
        """Builds one peer's callable with `make` and times it; `first_ms` holds the building and compiling too."""
        try:
            first = time.perf_counter()
            call = make()
            call(), sync()
            first_ms = (time.perf_counter() - first) * 1e3
            ms = self.median_ms(call, sync)
        except Exception as error:  # One peer that fails must not cost the others their rows.
            self.results.append(dict(workload=workload, peer=peer, error=repr(error)[:200]))
            print(f"{workload:32s} {peer:18s} ERROR {error!r:.160s}", flush=True)
            return
        gbps = nbytes / ms / 1e6
        result = dict(workload=workload, peer=peer, ms=ms, first_ms=first_ms, gbps=gbps)
        if flops:
            result["tflops"] = flops / ms / 1e9
        self.results.append(result)
        print(f"{workload:32s} {peer:18s} {ms:11.5f} ms  first {first_ms:9.1f} ms {gbps:8.1f} GB/s", flush=True)

    def figure(self, workload, peer, measure):
        """Enters milliseconds that were measured elsewhere."""
        try:
            ms = measure()
        except Exception as error:
            self.results.append(dict(workload=workload, peer=peer, error=repr(error)[:200]))
            print(f"{workload:32s} {peer:18s} ERROR {error!r:.160s}", flush=True)
            return
        self.results.append(dict(workload=workload, peer=peer, ms=ms, first_ms=ms))
        print(f"{workload:32s} {peer:18s} {ms:11.5f} ms", flush=True)

    def median_ms(self, call, sync):
        call(), sync()
        start = time.perf_counter()
        call(), sync()
        one = max(time.perf_counter() - start, 1e-7)
        # A card's clock falls within a tenth of a second of full load: measured is what lasts.
        for _ in range(min(20_000, int(SETTLE / one))):
            call()
        sync()
        count = max(1, min(20_000, int(self.min_time / one)))
        # A call of seconds is timed once a batch and in one batch: more would only cost the machine's time.
        batches = 1 if one > 4 * self.min_time + 0.5 else self.batches
        times = []
        for _ in range(batches):
            start = time.perf_counter()
            for _ in range(count):
                call()
            sync()
            times.append((time.perf_counter() - start) / count)
        return statistics.median(times) * 1e3

    def save(self, path, **about):
        with open(path, "w") as file:
            json.dump(dict(when=time.strftime("%F"), **about, results=self.results), file, indent=0)


def arguments(workloads, doc):
    """Command line of both scripts: OUT.json, then names; a name is a whole workload, its part before `@`, or a glob."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT.json")
    parser.add_argument("names", nargs="*", help="workloads; all when none is given")
    parser.add_argument("--quick", action="store_true", help="three batches of 0.05 s instead of five of 0.15 s")
    parser.add_argument("--list", action="store_true", help="print the workload names and stop")
    if "--list" in sys.argv[1:]:
        print("\n".join(workloads))
        sys.exit(0)
    args = parser.parse_intermixed_args()
    chosen = []
    for name in args.names or ["*"]:
        found = [w for w in workloads if w == name or w.split("@")[0] == name or fnmatch.fnmatchcase(w, name)]
        if not found:
            parser.error(f"no workload is called {name!r}; --list prints the names")
        chosen += [w for w in found if w not in chosen]
    return args, chosen, Recorder(*((0.05, 3) if args.quick else (0.15, 5)))


def sinexp(xp, x, y):
    return xp.sin(x) * xp.exp(y)


RATE, VOLATILITY = 0.02, 0.30
INV_SQRT_2PI = 0.39894228040143267793994605993438


def normal_cdf(xp, d):
    """The five-term polynomial for the normal distribution."""
    k = 1.0 / (1.0 + 0.2316419 * xp.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = INV_SQRT_2PI * xp.exp(-0.5 * d * d) * poly
    return xp.where(d > 0, 1.0 - tail, tail)


def black_scholes(xp, s, x, t):
    root = xp.sqrt(t)
    d1 = (xp.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / (VOLATILITY * root)
    d2 = d1 - VOLATILITY * root
    c1, c2, discount = normal_cdf(xp, d1), normal_cdf(xp, d2), xp.exp(-RATE * t)
    return s * c1 - x * discount * c2, x * discount * (1.0 - c2) - s * (1.0 - c1)


def great_circle(xp, lat1, lon1, lat2=30.0, lon2=101.0):
    a = (
        xp.sin(0.008726645 * (lat2 - lat1)) ** 2
        + xp.cos(0.01745329 * lat1) * math.cos(0.01745329 * lat2) * xp.sin(0.008726645 * (lon2 - lon1)) ** 2
    )
    return xp.arctan2(a, 1 - a)


def softmax(xp, x):
    e = xp.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def standardize(x):
    return (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)


def runge_kutta(slope, z, h):
    k1 = slope(z)
    k2 = slope(z + 0.5 * h * k1)
    k3 = slope(z + 0.5 * h * k2)
    k4 = slope(z + h * k3)
    return z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def rk4_step(roll, z, h=0.01):
    """One Runge-Kutta step of `(roll(z,-1) - roll(z,2)) * roll(z,1) - z + 8` along the rows."""
    return runge_kutta(lambda q: (roll(q, -1, 1) - roll(q, 2, 1)) * roll(q, 1, 1) - q + 8.0, z, h)


def repeat(step, z, times):
    for _ in range(times):
        z = step(z)
    return z


def chain(xp, x):
    for _ in range(10):
        x = xp.sin(x) * 1.01 + 0.5
    return x


def jacobi_inner(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def pairwise_min(p, eye):
    """Nearest squared distance of each point; the diagonal is raised by 9."""
    return (((p[:, None, :] - p[None, :, :]) ** 2).sum(-1) + eye * 9).min(1)
