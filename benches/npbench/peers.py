#!/usr/bin/env python3
"""NumPy, Numba and CuPy on the programs of NPBench, and the arrays that Lazuli is checked with.

    peers.py --npbench DIR [NAMES…] [--size S] [--exchange IN] [--out OUT] [--lazuli BINARY] [--device D]

DIR is a clone of https://github.com/spcl/npbench; its programs run as they stand there. A name is the stem of a file in
its `bench_info`; without names all programs run.

Written are, for each program, IN/SIZE/NAME/ARGUMENT.npy and NumPy's outputs, IN/SIZE/NAME/expected.K.npy; and
OUT/peers.json with the times. With --lazuli, the binary runs each program straight after its peers, so that both sides
are measured in turn; OUT/lazuli.json has its rows, and the program's arrays are deleted unless --keep is given.

Outputs are what the function returns, then the arrays that it is known to change. Times are taken as NPBench takes them:
each run by itself, what it overwrites copied before the clock starts.
"""

import argparse
import contextlib
import importlib.util
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

import numpy as np

# Runs go on for so many seconds, and at least FEWEST and at most MOST times; one that is slow by itself runs once.
LONG_ENOUGH, FEWEST, MOST, SLOW = 0.5, 10, 1000, 2.0
# A peer that takes so many seconds altogether is given up.
LIMIT = 300
# Where NPBench names no output, or not the array that the program changes.
CHANGED = {"doitgen": ["A"], "scattering_self_energies": ["Sigma"], "trisolv": ["x"]}
# Numba's forms, the most parallel one first.
NUMBA = ["npr", "np", "n"]


class Program:
    """A program as NPBench describes it."""

    def __init__(self, root, name, size):
        self.name, self.size = name, size
        self.info = json.loads((root / "bench_info" / f"{name}.json").read_text())["benchmark"]
        self.folder = root / "npbench" / "benchmarks" / self.info["relative_path"]
        self.data = self.make_data()
        self.outputs = CHANGED.get(name, self.info["output_args"])

    def make_data(self):
        data = dict(self.info["parameters"][self.size])
        if init := self.info.get("init"):
            np.random.seed(42)
            function = getattr(self.module(""), init["func_name"])
            made = function(*[data[a] for a in init["input_args"]])
            data.update(zip(init["output_args"], made if isinstance(made, tuple) else [made]))
        return data

    def module(self, suffix):
        name = self.info["module_name"] + suffix
        path = self.folder / f"{name}.py"
        if not path.exists():
            raise FileNotFoundError(path.name)
        spec = importlib.util.spec_from_file_location(f"npbench_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def function(self, suffix):
        return getattr(self.module(suffix), self.info["func_name"])

    def arguments(self, convert):
        """Fresh arguments; arrays are copied."""
        given = {a: self.data[a] for a in self.info["input_args"]}
        return {a: convert(v) if isinstance(v, np.ndarray) else v for a, v in given.items()}

    def run(self, function, convert, sync):
        """The seconds that one run takes, and its outputs."""
        given = self.arguments(convert)
        sync()
        start = time.perf_counter()
        out = function(*given.values())
        sync()
        seconds = time.perf_counter() - start
        out = [] if out is None else list(out) if isinstance(out, tuple) else [out]
        changed = [given[a] for a in self.outputs]
        return seconds, out + [c for c in changed if not any(c is o for o in out)]

    def tolerance(self):
        """NPBench's bounds: relative and absolute for all elements, or one for the norm."""
        return [self.info.get("rtol", 1e-5), self.info.get("atol", 1e-8), self.info.get("norm_error", 1e-5)]

    def is_valid(self, expected, got):
        rtol, atol, norm = self.tolerance()
        for e, g in zip(expected, got, strict=True):
            if not np.allclose(e, g, rtol=rtol, atol=atol):
                if not np.linalg.norm(e - g) / np.linalg.norm(e) < norm:
                    return False
        return True


def measure(program, peer, function, convert, sync, back, expected):
    """One peer's row, its outputs, or why there are none."""
    row = dict(workload=f"{program.name}@{program.size}", peer=peer)
    try:
        with limited(LIMIT):
            start = time.perf_counter()
            function = function()
            _, outputs = program.run(function, convert, sync)
            row["first_ms"] = (time.perf_counter() - start) * 1e3
            outputs = [np.asarray(back(o)) for o in outputs]
            if expected is not None and not program.is_valid(expected, outputs):
                raise ValueError("its outputs are not NumPy's")
            times = []
            while len(times) < MOST and not is_enough(times):
                times.append(program.run(function, convert, sync)[0])
            row["ms"] = statistics.median(times) * 1e3
    except (FileNotFoundError, ModuleNotFoundError) as absent:
        print(f"{row['workload']:32s} {peer:14s} none: {absent}", flush=True)
        return None, None
    except Exception as error:  # One peer that fails must not cost the others their rows.
        row["error"] = repr(error)[:200].replace("\n", " ")
        print(f"{row['workload']:32s} {peer:14s} ERROR {row['error']:.120s}", flush=True)
        return row, None
    print(f"{row['workload']:32s} {peer:14s} {row['ms']:11.4f} ms  first {row['first_ms']:9.1f} ms", flush=True)
    return row, outputs


def is_enough(times):
    fewest = 1 if times and sum(times) / len(times) > SLOW else FEWEST
    return len(times) >= fewest and sum(times) >= LONG_ENOUGH


@contextlib.contextmanager
def limited(seconds):
    def stop(*_):
        raise TimeoutError(f"more than {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def write(program, expected, exchange):
    """The program's inputs and NumPy's outputs, as files."""
    folder = exchange / program.size / program.name
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in program.data.items():
        value = np.asarray(value)
        if value.dtype.kind in "iufcb":
            np.save(folder / f"{name}.npy", value)
    np.save(folder / "tolerance.npy", np.array(program.tolerance()))
    for k, value in enumerate(expected):
        np.save(folder / f"expected.{k}.npy", np.asarray(value, order="C"))
    return folder


def numba_rows(program, forms, expected):
    for form in forms:
        row, _ = measure(
            program, f"numba {form}", lambda: program.function(f"_numba_{form}"), np.copy, lambda: None, lambda o: o,
            expected,
        )
        if row is not None:
            yield row
        # The most parallel form that works stands for the others, unless they were asked for.
        if row is not None and "ms" in row and forms is NUMBA:
            return


def cupy_row(program, cupy, expected):
    sync = cupy.cuda.Device().synchronize
    row, _ = measure(program, "cupy", lambda: program.function("_cupy"), cupy.array, sync, cupy.asnumpy, expected)
    cupy.get_default_memory_pool().free_all_blocks()
    return [row] if row is not None else []


def lazuli_rows(args, name, results):
    out = args.out / "lazuli-one.json"
    out.unlink(missing_ok=True)
    command = [args.lazuli, "--inputs", args.exchange, "--size", args.size, "--json", out, name]
    if args.device:
        command += ["--device", args.device]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith(f"{name}@")), flush=True)
    if not out.exists():
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return [dict(workload=f"{name}@{args.size}", form="lazy", error=f"status {done.returncode}: {last}")]
    found = json.loads(out.read_text())
    out.unlink()
    results["device"] = found["device"]
    return found["results"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs; all when none is given")
    parser.add_argument("--npbench", type=pathlib.Path, required=True, help="a clone of NPBench")
    parser.add_argument("--size", default="S", help="S, M, L or paper")
    parser.add_argument("--exchange", type=pathlib.Path, default="npbench-inputs", help="where arrays are written")
    parser.add_argument("--out", type=pathlib.Path, default=".", help="where the times are written")
    parser.add_argument("--lazuli", type=pathlib.Path, help="the binary that runs each program after its peers")
    parser.add_argument("--device", help="the device of the binary")
    parser.add_argument("--numba", default="best", help="best, all, none, or forms between commas")
    parser.add_argument("--no-cupy", action="store_true")
    parser.add_argument("--arrays", action="store_true", help="write arrays alone and time nothing")
    parser.add_argument("--keep", action="store_true", help="keep the arrays after the binary has run")
    return parser.parse_intermixed_args()


def cupy_module(args):
    if args.no_cupy:
        return None
    try:
        import cupy

        cupy.cuda.Device().synchronize()
        return cupy
    except Exception as why:  # No package, no driver or no device: the other peers go on.
        print(f"skipped: cupy ({why!r:.80s})")
        return None


def main():
    args = arguments()
    args.lazuli = args.lazuli and args.lazuli.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    known = sorted(p.stem for p in (args.npbench / "bench_info").glob("*.json"))
    if unknown := set(args.names) - set(known):
        sys.exit(f"no program is called {', '.join(sorted(unknown))}")
    forms = {"best": NUMBA, "all": list(NUMBA), "none": []}.get(args.numba, args.numba.split(","))
    cupy = None if args.arrays else cupy_module(args)
    peers, lazuli = dict(size=args.size, results=[]), dict(device="", results=[])
    for name in args.names or known:
        program = Program(args.npbench, name, args.size)
        numpy = program.function("_numpy")
        if args.arrays:
            expected = program.run(numpy, np.copy, lambda: None)[1]
        else:
            row, expected = measure(program, "numpy", lambda: numpy, np.copy, lambda: None, lambda o: o, None)
            peers["results"].append(row)
        if expected is None:
            continue
        folder = write(program, expected, args.exchange)
        if not args.arrays:
            peers["results"] += numba_rows(program, forms, expected)
            peers["results"] += cupy_row(program, cupy, expected) if cupy else []
        del program, expected
        if args.lazuli:
            lazuli["results"] += lazuli_rows(args, name, lazuli)
            if not args.keep:
                shutil.rmtree(folder)
        for file, table in (("peers.json", peers), ("lazuli.json", lazuli)):
            if table["results"]:
                (args.out / file).write_text(json.dumps(table, indent=0))


if __name__ == "__main__":
    main()
