#!/usr/bin/env python3
"""Prints the milliseconds of the first product or transform of this process, from the call to the synchronised result.

    gpu_first.py cupy|torch matmul|fft

The package is loaded, the device open and the arrays on it before the clock starts.
"""

import sys
import time

import numpy as np


def inputs(what):
    if what == "matmul":
        return np.full((1024, 1024), 0.5, np.float32)
    return np.full((512, 512), 0.5 + 0.25j, np.complex64)


def on_cupy(host):
    import cupy as cp

    return cp.asarray(host), cp.fft.fft2, cp.cuda.Device().synchronize


def on_torch(host):
    import torch

    return torch.from_numpy(host).cuda(), torch.fft.fft2, torch.cuda.synchronize


def main():
    package, what = sys.argv[1:]
    a, fft2, synchronize = dict(cupy=on_cupy, torch=on_torch)[package](inputs(what))
    synchronize()
    start = time.perf_counter()
    result = a @ a if what == "matmul" else fft2(a)
    synchronize()
    print((time.perf_counter() - start) * 1e3)
    del result


if __name__ == "__main__":
    main()
