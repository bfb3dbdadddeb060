#!/usr/bin/env python3
"""Writes systems.npz: what scipy.signal makes of linear systems.

Keys are as in generate.py; `tests/it/signal/systems.rs` has the same calls under the same names.
"""

import pathlib

import numpy as np
from scipy import signal

NAMES = {"float64": "f64", "complex128": "c128"}
ARRAYS = {}


def put(name, value):
    value = np.array(value, order="C")
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def matrices(name, system):
    for key, part in zip("abcd", system):
        put(f"{name}_{key}", np.asarray(part, float))


# A numerator and a denominator, not normalised; and a system of two inputs and two outputs.
TF = ([2.0, 1.0, 3.0], [2.0, 3.0, 8.0, 5.0])
MANY = (
    np.array([[-0.5, 2.0, 0.0], [-1.0, -0.2, 0.3], [0.1, 0.0, -1.5]]),
    np.array([[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]),
    np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -1.0]]),
    np.array([[0.0, 0.3], [0.1, 0.0]]),
)
METHODS = {"zoh": {}, "foh": {}, "bilinear": {}, "euler": {}, "backward_diff": {}, "gbt": {"alpha": 0.3}}


def forms():
    one = signal.tf2ss(*TF)
    matrices("tf2ss", one), matrices("tf2ss_same", signal.tf2ss([1.0, 3.0, 3.0], [1.0, 2.0, 1.0]))
    matrices("tf2ss_gain", signal.tf2ss([3.0], [2.0]))
    matrices("zpk2ss", signal.zpk2ss([-1.0], [-2.0, -1.0 + 2.0j, -1.0 - 2.0j], 3.0))
    matrices("many", MANY)
    put("many_poles", np.sort_complex(np.linalg.eigvals(MANY[0])))
    for k in range(2):
        b, a = signal.ss2tf(*MANY, input=k)
        put(f"ss2tf_{k}_b", b), put(f"ss2tf_{k}_a", a)
    z, p, k = signal.ss2zpk(*one)
    put("ss2zpk_z", np.asarray(z, complex)), put("ss2zpk_p", np.asarray(p, complex)), put("ss2zpk_k", float(k))


def discretized():
    for method, how in METHODS.items():
        matrices(f"discrete_{method}", signal.cont2discrete(MANY, 0.4, method, **how)[:4])
    matrices("discrete_impulse", signal.cont2discrete((*MANY[:3], np.zeros((2, 2))), 0.4, "impulse")[:4])


def over_time():
    rng = np.random.default_rng(11)
    one, times = signal.StateSpace(*signal.tf2ss(*TF)), np.arange(30) * 0.25
    u, many = put("u", np.round(rng.normal(size=30), 2)), put("u_many", np.round(rng.normal(size=(30, 2)), 2))
    for name, interp in {"linear": True, "zero": False}.items():
        _, y, x = signal.lsim(one, u, times, interp=interp)
        put(f"lsim_{name}_y", y), put(f"lsim_{name}_x", x)
        _, y, x = signal.lsim(MANY, many, times, X0=[1.0, -2.0, 0.5], interp=interp)
        put(f"lsim_many_{name}_y", y), put(f"lsim_many_{name}_x", x)
    for call in (signal.impulse, signal.step):
        t, y = call(one)
        put(f"{call.__name__}_t", t), put(f"{call.__name__}_y", y)
    put("double_step_t", signal.step(([1.0], [1.0, 0.0, 0.0]), N=8)[0]), put("double_step_y", signal.step(([1.0], [1.0, 0.0, 0.0]), N=8)[1])
    discrete = signal.cont2discrete(MANY, 0.4)
    _, y, x = signal.dlsim(discrete, many, x0=[1.0, -2.0, 0.5])
    put("dlsim_y", y), put("dlsim_x", x)
    for call in (signal.dimpulse, signal.dstep):
        t, y = call(discrete, n=12)
        put(f"{call.__name__}_t", t), put(f"{call.__name__}_y", np.stack(y))


def over_frequencies():
    one = signal.StateSpace(*signal.tf2ss(*TF))
    w = put("w", np.array([0.0, 0.1, 0.7, 1.9, 2.0, 30.0, -1.3]))
    put("freqresp_w", signal.freqresp(one, n=9)[0]), put("freqresp", signal.freqresp(one, n=9)[1])
    put("freqresp_at", signal.freqresp(one, w)[1])
    for name, part in zip("wmp", signal.bode(one, n=25)):
        put(f"bode_{name}", part)
    discrete = one.to_discrete(0.3)
    put("dfreqresp_w", signal.dfreqresp(discrete, n=9)[0]), put("dfreqresp", signal.dfreqresp(discrete, n=9)[1])
    put("dfreqresp_at", signal.dfreqresp(discrete, w)[1])
    for name, part in zip("wmp", signal.dbode(discrete, n=25)):
        put(f"dbode_{name}", part)


if __name__ == "__main__":
    forms(), discretized(), over_time(), over_frequencies()
    np.savez_compressed(pathlib.Path(__file__).parent / "systems.npz", **ARRAYS)
