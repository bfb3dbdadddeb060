#!/usr/bin/env python3
"""Writes waveforms.npz, steps.npz and estimates.npz: what scipy.signal makes of waveforms, steps of designs and more filters.

Keys are as in generate.py; `tests/it/signal/waveforms.rs`, `steps.rs` and `estimates.rs` have the same calls under the same names.
"""

import pathlib

import numpy as np
from scipy import signal

NAMES = {"int8": "i64", "int64": "i64", "float32": "f32", "float64": "f64", "complex128": "c128"}
ARRAYS = {}


def put(name, value):
    value = np.array(value, order="C")
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value.astype(np.int64) if value.dtype.name == "int8" else value
    return value


def waveforms():
    t = np.concatenate([np.round(np.linspace(-2.0, 9.0, 23), 2), [0.0, np.pi, 2 * np.pi, -2 * np.pi, 4 * np.pi]])
    put("time", t)
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        put(f"chirp_{method}", signal.chirp(t, 0.5, 4.0, 3.0, method, 30))
        put(f"chirp_{method}_same", signal.chirp(t, 0.5, 4.0, 0.5, method))
    put("chirp_down", signal.chirp(t, -3.0, 4.0, -0.5, "logarithmic"))
    put("chirp_vertex", signal.chirp(t, 0.5, 4.0, 3.0, "quadratic", vertex_zero=False))
    put("sweep_poly", signal.sweep_poly(t, np.poly1d([0.025, -0.36, 1.25, 2.0]), 45))
    odd = np.concatenate([t, [np.nan, np.inf, -np.inf, -1e-20, 1e9]])
    put("odd_time", odd)
    for duty in (0.0, 0.3, 0.5, 1.0, 1.5, -0.1):
        with np.errstate(invalid="ignore"):
            put(f"square_{duty}", signal.square(odd, duty)), put(f"sawtooth_{duty}", signal.sawtooth(odd, duty))
    duties = np.array([[0.2], [0.8], [np.nan]])
    put("square_many", signal.square(np.broadcast_to(t, (3, t.size)), np.broadcast_to(duties, (3, t.size))))
    put("sawtooth_many", signal.sawtooth(np.broadcast_to(t, (3, t.size)), np.broadcast_to(duties, (3, t.size))))
    for k, part in enumerate(signal.gausspulse(t / 9, 5, 0.4, -7, retquad=True, retenv=True)):
        put(f"gausspulse_{k}", part)
    put("gausspulse_cutoff", signal.gausspulse("cutoff", 5, 0.4, -7, -40))
    put("impulse_middle", signal.unit_impulse((3, 4), "mid")), put("impulse_at", signal.unit_impulse((2, 3), (1, 0)))
    for n in range(2, 33):
        seq, state = signal.max_len_seq(n, length=70)
        put(f"mls_{n}", seq), put(f"mls_{n}_state", state)
    seq, state = signal.max_len_seq(5, [1, 0, 0, 1, 1], 12, [1, 3])
    put("mls_own", seq), put("mls_own_state", state)


BANDS = {"low": (0.2, 0.3), "high": (0.6, 0.45), "pass": ([0.3, 0.5], [0.2, 0.55]), "stop": ([0.2, 0.7], [0.3, 0.5])}
ORDERS = {"butter": signal.buttord, "cheby1": signal.cheb1ord, "cheby2": signal.cheb2ord, "ellip": signal.ellipord}


def zpk(name, filter):
    z, p, k = filter
    put(f"{name}_z", np.asarray(z, complex)), put(f"{name}_p", np.asarray(p, complex)), put(f"{name}_k", k)


def ba(name, filter):
    put(f"{name}_b", filter[0]), put(f"{name}_a", filter[1])


def designs():
    for family, order in ORDERS.items():
        for band, (wp, ws) in BANDS.items():
            n, w = order(wp, ws, 0.8, 37.0)
            put(f"{family}_{band}_order", n), put(f"{family}_{band}_band", w)
            h = signal.freqz_sos(signal.iirdesign(wp, ws, 0.8, 37.0, ftype=family, output="sos"), 9)[1]
            put(f"{family}_{band}_h", h)
    for n in range(6):
        zpk(f"buttap_{n}", signal.buttap(n)), zpk(f"cheb1ap_{n}", signal.cheb1ap(n, 0.7))
        zpk(f"cheb2ap_{n}", signal.cheb2ap(n, 43)), zpk(f"ellipap_{n}", signal.ellipap(n, 0.7, 43))
    filter = signal.ellipap(3, 0.7, 43)
    b, a = signal.zpk2tf(*filter)
    put("prototype_b", b), put("prototype_a", a)
    for name, args in {"lp2lp": (2.5,), "lp2hp": (2.5,), "lp2bp": (2.5, 0.7), "lp2bs": (2.5, 0.7)}.items():
        zpk(name, getattr(signal, name + "_zpk")(*filter, *args)), ba(name, getattr(signal, name)(b, a, *args))
        ba(name + "_many", getattr(signal, name)([1.0, 2.0, 3.0], [4.0, 5.0], *args))
    zpk("bilinear", signal.bilinear_zpk(*filter, 3.0)), ba("bilinear", signal.bilinear(b, a, 3.0))
    ba("bilinear_many", signal.bilinear([1.0, 2.0, 3.0], [4.0, 5.0], 0.7))
    ba("normalize", signal.normalize([0, 0, 1e-20, 3.0, 0.0], [0, 2.0, 0.0, 5.0]))


def single_frequencies():
    ba("iirnotch", signal.iirnotch(0.13, 25)), ba("iirpeak", signal.iirpeak(0.13, 25))
    for kind in ("notch", "peak"):
        for zero in (False, True):
            ba(f"iircomb_{kind}_{zero}", signal.iircomb(0.25, 20, kind, pass_zero=zero))
    ba("iircomb_odd", signal.iircomb(2 / 7, 20)), ba("gammatone", signal.gammatone(440, "iir", fs=16000))
    ba("gammatone_fir", signal.gammatone(440, "fir", order=3, numtaps=30, fs=16000))


def without_feedback():
    put("kaiser_beta", [signal.kaiser_beta(a) for a in (-3.0, 10.0, 21.0, 40.0, 50.0, 65.0)])
    put("kaiserord", [signal.kaiserord(r, w) for r, w in ((65, 0.048), (-8, 0.5), (30.5, 0.1))])
    bands = [0, 0.25, 0.3, 0.6, 0.65, 1]
    desired = [1, 0.9, 0, 0, 0.2, 0.7]
    put("firls", signal.firls(31, bands, desired)), put("firls_weight", signal.firls(15, bands, desired, weight=[1, 5, 2.5]))
    put("firls_one", signal.firls(1, [0, 0.5], [1, 0]))
    freq = [0, 0.3, 0.5, 0.5, 1]
    put("firwin2_odd", signal.firwin2(31, freq, [1, 0.8, 0.6, 0.1, 0.3])), put("firwin2_even", signal.firwin2(20, freq, [1, 0.8, 0.6, 0.1, 0], window="hann"))
    put("firwin2_anti_odd", signal.firwin2(31, freq, [0, 0.8, 0.6, 0.1, 0], antisymmetric=True))
    put("firwin2_anti_even", signal.firwin2(20, freq, [0, 0.8, 0.6, 0.1, 0.3], antisymmetric=True, nfreqs=50))
    h = signal.firwin(21, 0.3)
    put("minimum_half", signal.minimum_phase(h)), put("minimum_whole", signal.minimum_phase(h, half=False))
    put("minimum_even", signal.minimum_phase([1.0, 2.0, 3.0, 4.0, 2.0, 0.5], n_fft=256))


def responses():
    b, a = [0.5, 1.0, 0.2], [2.0, 0.3, 4.0, 0.1]
    w = np.array([0.0, 0.3, 1.0, 2.5, 40.0])
    put("findfreqs", signal.findfreqs(b, a, 7)), put("findfreqs_zero", signal.findfreqs([0, 1.0, 0], [1.0, 0.0, 100.0], 4))
    put("findfreqs_none", signal.findfreqs([3.0], [2.0], 5))
    put("freqs", signal.freqs(b, a, 7)[1]), put("freqs_at", signal.freqs(b, a, w)[1])
    filter = signal.cheby2(3, 43, 0.4, output="zpk")
    put("freqs_zpk_w", signal.freqs_zpk(*filter, 7)[0]), put("freqs_zpk", signal.freqs_zpk(*filter, 7)[1])
    put("freqz_zpk", signal.freqz_zpk(*filter, 7)[1]), put("freqz_zpk_at", signal.freqz_zpk(*filter, w)[1])
    put("group_delay", signal.group_delay((b, a), 9)[1]), put("group_delay_at", signal.group_delay((b, a), w)[1])
    put("group_delay_zero", signal.group_delay(([1.0, -1.0], [1.0]), [0.0, 0.5])[1])


def windows():
    for n in (2, 7, 12):
        for sym in (True, False):
            put(f"general_cosine_{n}_{sym}", signal.windows.general_cosine(n, [0.4, 0.5, 0.07, 0.02], sym))
            put(f"taylor_{n}_{sym}", signal.windows.taylor(n, 5, 35, sym=sym))
    put("kbd", signal.windows.kaiser_bessel_derived(12, 4.0))


def fractions():
    simple, double = ([1.0, 3.0, -2.0, 5.0, 1.0], [2.0, 1.0, 0.5, 4.0]), ([1.0, 2.0], np.poly([0.5, 0.5, 0.5, -2.0]))
    for name, (b, a) in {"simple": simple, "double": double}.items():
        for call in (signal.residue, signal.residuez):
            for key, part in zip("rpk", call(b, a, tol=0.01)):
                put(f"{call.__name__}_{name}_{key}", np.asarray(part, complex) if key != "k" else part)


def steps():
    designs(), single_frequencies(), without_feedback(), responses(), windows(), fractions()


def estimates():
    rng = np.random.default_rng(7)
    x, y = put("times", np.round(np.sort(rng.uniform(0, 20, 25)), 2)), put("samples", np.round(rng.normal(size=25) + 1, 2))
    w, f = put("weights", np.round(rng.uniform(0.1, 2, 25), 2)), put("freqs", np.array([0.1, 0.5, 1.0, 2.7]))
    for name, how in {"power": dict(), "normalize": dict(normalize="normalize")}.items():
        put(f"lomb_{name}", signal.lombscargle(x, y, f, **how))
        put(f"lomb_{name}_weights", signal.lombscargle(x, y, f, weights=w, **how))
        put(f"lomb_{name}_mean", signal.lombscargle(x, y, f, weights=w, floating_mean=True, **how))
    image = put("grid", np.round(rng.normal(size=(4, 9)), 2))
    put("wiener", signal.wiener(image)), put("wiener_own", signal.wiener(image, (1, 5), 0.4))
    put("wiener_even", signal.wiener(image, (2, 4)))
    for k, part in enumerate(signal.vectorstrength(x, [1.5, 4.0, 0.3])):
        put(f"vectorstrength_{k}", part)
    for k, part in enumerate(signal.deconvolve(y, [2.0, 1.0, -0.5])):
        put(f"deconvolve_{k}", part)
    put("lfiltic", signal.lfiltic([0.2, 0.3, -0.1], [2.0, -0.9, 0.5, -0.2], [1.0, 2.0], [3.0, -1.0, 5.0]))
    put("lfiltic_fir", signal.lfiltic([0.2, 0.3, -0.1], [2.0], [], [3.0]))
    for n, m in ((5, 3), (4, 3), (3, 5), (4, 4), (1, 1), (6, 1)):
        for mode in ("full", "same", "valid"):
            put(f"lags_{n}_{m}_{mode}", signal.correlation_lags(n, m, mode))
    put("hilbert2", signal.hilbert2(image)), put("hilbert2_odd", signal.hilbert2(image[:3, :8]))
    put("czt", signal.czt(image)), put("czt_columns", signal.czt(image, 7, axis=0))
    put("czt_spiral", signal.czt(y, 12, 0.98 * np.exp(-0.2j), 1.1 * np.exp(0.3j)))
    put("czt_points", signal.czt_points(5)), put("czt_points_spiral", signal.czt_points(6, 0.98 * np.exp(-0.2j), 1.1 * np.exp(0.3j)))
    put("zoom", signal.zoom_fft(image, [0.2, 0.6], 11, fs=2)), put("zoom_columns", signal.zoom_fft(image, [5, 9], 3, fs=20, axis=0))
    put("cspline1d", signal.cspline1d(y)), put("qspline1d", signal.qspline1d(y))
    places = put("places", np.array([-30.2, -1.5, -0.3, 0.0, 0.25, 7.5, 11.0, 11.3, 23.9, 24.0, 24.4, 60.0]))
    put("cspline1d_eval", signal.cspline1d_eval(y, places)), put("qspline1d_eval", signal.qspline1d_eval(y, places))
    put("cspline1d_eval_far", signal.cspline1d_eval(y[:4], places, 0.5, -1.0))
    put("qspline1d_eval_two", signal.qspline1d_eval(y[:2], places, 2.0, 3.0))
    put("gauss_spline", signal.gauss_spline(places, 3))
    put("symiirorder1", signal.symiirorder1(y, 0.7, 0.2)), put("symiirorder1_rows", signal.symiirorder1(np.stack([y, y[::-1]]), 2.0, -0.15))
    put("sepfir2d", signal.sepfir2d(image, [1.0, 3.0, 1.0], [0.5, 1.0, 2.0, 1.0, 0.5]))


def main():
    here = pathlib.Path(__file__).parent
    for write, name in ((waveforms, "waveforms"), (steps, "steps"), (estimates, "estimates")):
        write()
        np.savez_compressed(here / f"{name}.npz", **ARRAYS)
        ARRAYS.clear()


if __name__ == "__main__":
    main()
