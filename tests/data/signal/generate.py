#!/usr/bin/env python3
"""Writes signal.npz: what scipy.signal and scipy.fft make of small signals.

An array stands under the name of what it is; its key ends in the element type, as README.md beside this folder says.
`tests/it/signal` has the same calls under the same names.
"""

import pathlib
import warnings

import numpy as np
from scipy import fft, signal

NAMES = {"bool": "bool", "int64": "i64", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
ARRAYS, rng = {}, np.random.default_rng(20251126)


def put(name, value):
    value = np.array(value, order="C")
    if value.dtype.name.startswith("int"):
        value = value.astype(np.int64)
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def inputs():
    line = put("line", np.round(rng.normal(size=60), 3))
    image = put("image", np.round(rng.normal(size=(3, 61)), 3))
    put("image", image.astype(np.float32))
    z = put("complex", np.round(rng.normal(size=(2, 48)) + 1j * rng.normal(size=(2, 48)), 3))
    put("complex", z.astype(np.complex64))
    long = put("long", np.round(np.cumsum(rng.normal(size=900)), 2))
    return line, image, z, long


BANDS = {"low": (0.3, "low"), "high": (0.4, "high"), "pass": ((0.2, 0.45), "band"), "stop": ((0.25, 0.6), "stop")}
DESIGNS = {
    "butter": lambda n, w, kind, out: signal.butter(n, w, kind, output=out),
    "cheby1": lambda n, w, kind, out: signal.cheby1(n, 0.7, w, kind, output=out),
    "cheby2": lambda n, w, kind, out: signal.cheby2(n, 43, w, kind, output=out),
    "ellip": lambda n, w, kind, out: signal.ellip(n, 0.7, 43, w, kind, output=out),
}


def designs():
    for name, design in DESIGNS.items():
        for band, (w, kind) in BANDS.items():
            for n in (1, 2, 5, 6):
                key = f"{name}_{band}_{n}"
                b, a = design(n, w, kind, "ba")
                put(f"{key}_b", b), put(f"{key}_a", a)
                put(f"{key}_sos", design(n, w, kind, "sos"))
                put(f"{key}_h", signal.freqz(b, a, 7)[1])
    for band, (w, kind) in BANDS.items():
        kind = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}[kind]
        put(f"firwin_{band}", signal.firwin(21, w, pass_zero=kind))
        put(f"firwin_kaiser_{band}", signal.firwin(33, w, pass_zero=kind, window=("kaiser", 6.0)))
    put("firwin_even", signal.firwin(10, 0.3, window="blackman"))
    b, a = [0.5, -0.2, 0.3, 0.0], [2.0, -1.0, 0.7, -0.1]
    z, p, k = signal.tf2zpk(b, a)
    put("tf2zpk_z", np.sort_complex(z)), put("tf2zpk_p", np.sort_complex(p)), put("tf2zpk_k", k)


WINDOWS = {
    "boxcar": "boxcar", "bartlett": "bartlett", "triang": "triang", "hann": "hann", "hamming": "hamming",
    "blackman": "blackman", "blackmanharris": "blackmanharris", "nuttall": "nuttall", "flattop": "flattop",
    "cosine": "cosine", "bohman": "bohman", "parzen": "parzen", "barthann": "barthann", "lanczos": "lanczos",
    "general_hamming": ("general_hamming", 0.7), "kaiser": ("kaiser", 5.5), "gaussian": ("gaussian", 2.5),
    "general_gaussian": ("general_gaussian", 1.5, 3.0), "exponential": ("exponential", None, 2.0),
    "tukey": ("tukey", 0.4), "tukey_wide": ("tukey", 1.5), "tukey_none": ("tukey", 0.0), "chebwin": ("chebwin", 70.0),
}


def windows():
    for name, window in WINDOWS.items():
        for n in (2, 7, 12):
            if name == "exponential":
                values = [signal.windows.exponential(n, tau=2.0, sym=sym) for sym in (True, False)]
            else:
                values = [signal.get_window(window, n, fftbins=bins) for bins in (False, True)]
            put(f"window_{name}_{n}", np.stack(values))


def filters(line, image, z):
    ba = {"iir": ([0.2, 0.3, -0.1], [2.0, -0.9, 0.5, -0.2]), "fir": ([1.0, 0.5, -0.25], [1.0]), "gain": ([3.0], [2.0]),
          "first": ([0.1], [1.0, -0.9]), "pole": ([1.0], [1.0, 0.4, 0.3, 0.2])}
    for name, (b, a) in ba.items():
        put(f"lfilter_{name}", signal.lfilter(b, a, line))
        put(f"lfilter_{name}_columns", signal.lfilter(b, a, image, axis=0))
        put(f"lfilter_{name}_rows", signal.lfilter(b, a, image, axis=1))
        put(f"lfilter_{name}_complex", signal.lfilter(b, a, z))
        if name == "gain":
            continue
        zi = signal.lfilter_zi(b, a)
        put(f"lfilter_{name}_zi", zi)
        y, zf = signal.lfilter(b, a, image, zi=zi * image[:, :1])
        put(f"lfilter_{name}_with", y), put(f"lfilter_{name}_zf", zf)
        put(f"filtfilt_{name}", signal.filtfilt(b, a, image, axis=1))
    y, zf = signal.lfilter(*ba["iir"], z, zi=np.ones((1, 3)) * z[:, :1])
    put("lfilter_iir_complex_with", y), put("lfilter_iir_complex_zf", zf)
    y, zf = signal.lfilter(*ba["iir"], image, axis=0, zi=np.ones((3, 1)) * image[:1])
    put("lfilter_iir_columns_with", y), put("lfilter_iir_columns_zf", zf)
    for kind in ("odd", "even", "constant", None):
        put(f"filtfilt_{kind}", signal.filtfilt(*ba["iir"], line, padtype=kind, padlen=5))
    put("filtfilt_complex", signal.filtfilt(*ba["iir"], z))
    cascades = {"low": signal.butter(5, 0.3, output="sos"), "band": signal.cheby1(3, 0.5, (0.2, 0.5), "band", output="sos")}
    for name, sos in cascades.items():
        put(f"sosfilt_{name}_sos", sos)
        put(f"sosfilt_{name}", signal.sosfilt(sos, line))
        put(f"sosfilt_{name}_columns", signal.sosfilt(sos, image, axis=0))
        put(f"sosfilt_{name}_complex", signal.sosfilt(sos, z))
        put(f"sosfilt_{name}_zi", signal.sosfilt_zi(sos))
        zi = signal.sosfilt_zi(sos)[:, None] * image[None, :, :1]
        y, zf = signal.sosfilt(sos, image, zi=zi)
        put(f"sosfilt_{name}_with", y), put(f"sosfilt_{name}_zf", zf)
        put(f"sosfiltfilt_{name}", signal.sosfiltfilt(sos, image))
    put("sosfiltfilt_even", signal.sosfiltfilt(cascades["low"], line, padtype="even", padlen=9))


def savgol(line, image, z):
    for n, degree in ((5, 2), (7, 3), (11, 4), (3, 0), (1, 0), (9, 8)):
        for derivative in range(min(degree, 2) + 1):
            put(f"savgol_{n}_{degree}_{derivative}", signal.savgol_coeffs(n, degree, deriv=derivative, delta=0.5))
    put("savgol_even", signal.savgol_coeffs(6, 3, pos=2))
    for mode in ("interp", "mirror", "constant", "nearest", "wrap"):
        put(f"savgol_filter_{mode}", signal.savgol_filter(image, 7, 3, deriv=1, delta=0.2, mode=mode, cval=1.5))
    put("savgol_filter_columns", signal.savgol_filter(image, 3, 1, axis=0))
    put("savgol_filter_complex", signal.savgol_filter(z.real, 9, 2) + 1j * signal.savgol_filter(z.imag, 9, 2))


def rates(line, image, z):
    put("detrend_linear", signal.detrend(image)), put("detrend_constant", signal.detrend(image, type="constant"))
    put("detrend_columns", signal.detrend(image, axis=0)), put("detrend_complex", signal.detrend(z))
    put("hilbert", signal.hilbert(image)), put("hilbert_columns", signal.hilbert(image, axis=0))
    put("hilbert_even", signal.hilbert(line))
    for n in (1, 2, 30, 31, 59, 60, 61, 90, 97):
        put(f"resample_{n}", signal.resample(line, n))
        put(f"resample_odd_{n}", signal.resample(image, n, axis=1))
        put(f"resample_complex_{n}", signal.resample(z, n, axis=1))
    put("resample_columns", signal.resample(image, 5, axis=0))
    for up, down in ((3, 2), (2, 3), (1, 4), (5, 1), (4, 6), (7, 7)):
        put(f"resample_poly_{up}_{down}", signal.resample_poly(line, up, down))
        put(f"resample_poly_{up}_{down}_rows", signal.resample_poly(image, up, down, axis=1))
    put("resample_poly_many", signal.resample_poly(line, 17, 16))
    put("resample_poly_columns", signal.resample_poly(image, 3, 2, axis=0))
    put("resample_poly_complex", signal.resample_poly(z, 3, 2, axis=1, window="hamming"))
    put("resample_poly_own", signal.resample_poly(line, 3, 2, window=np.array([0.1, 0.5, 0.9, 0.5, 0.1])))
    put("upfirdn", signal.upfirdn([1.0, -0.5, 0.25, 2.0], image, 3, 2, axis=1))
    put("upfirdn_long", signal.upfirdn([1.0, -0.5], line, 2, 5))
    for q in (2, 3, 13):
        wide = np.concatenate([image, image[:, ::-1]], axis=1)
        for zero in (True, False):
            put(f"decimate_iir_{q}_{zero}", signal.decimate(wide, q, n=6, zero_phase=zero))
            put(f"decimate_fir_{q}_{zero}", signal.decimate(wide, q, n=30, ftype="fir", zero_phase=zero))


def spectra(line, image, z, long):
    how = dict(fs=20.0, nperseg=64, noverlap=24)
    for name, x in {"long": long, "stack": long.reshape(3, 300), "even": long[:64], "complex": z}.items():
        n = min(64, x.shape[-1])
        one = dict(return_onesided=not np.iscomplexobj(x))
        how = dict(fs=20.0, nperseg=n, noverlap=n // 3)
        put(f"welch_{name}_f", signal.welch(x, **how, **one)[0])
        put(f"welch_{name}", signal.welch(x, **how, **one)[1])
        put(f"welch_{name}_median", signal.welch(x, **how, **one, average="median", scaling="spectrum")[1])
        put(f"welch_{name}_two", signal.welch(x, **how, return_onesided=False, nfft=100, detrend="linear", window="blackman")[1])
        put(f"periodogram_{name}", signal.periodogram(x, 2.0, **one)[1])
        put(f"periodogram_{name}_hann", signal.periodogram(x, 2.0, window="hann", scaling="spectrum", **one)[1])
        put(f"periodogram_{name}_points", signal.periodogram(x, 2.0, nfft=40, **one)[1])
        f, t, s = signal.spectrogram(x, **how, **one)
        put(f"spectrogram_{name}_t", t), put(f"spectrogram_{name}", s)
        f, t, s = signal.stft(x, **how, **one)
        put(f"stft_{name}_t", t), put(f"stft_{name}", s)
        put(f"istft_{name}", signal.istft(s, **how, input_onesided=one["return_onesided"])[1])
        f, t, s = signal.stft(x, **how, **one, boundary=None, padded=False, scaling="psd", window="hamming", nfft=70)
        put(f"stft_{name}_bare", s)
        put(f"istft_{name}_bare", signal.istft(s, **how, nfft=70, input_onesided=one["return_onesided"], boundary=False, scaling="psd", window="hamming")[1])
    columns = long.reshape(300, 3)
    put("welch_columns", signal.welch(columns, axis=0)[1])
    put("spectrogram_columns", signal.spectrogram(columns, nperseg=50, axis=0)[2])
    s = signal.stft(columns, nperseg=51, axis=0)
    put("stft_columns_t", s[1]), put("stft_columns", s[2])
    put("istft_columns", signal.istft(s[2], nperseg=51, freq_axis=0, time_axis=2)[1])
    a, b = long[:450], long[450:880]
    put("csd", signal.csd(a, b, nperseg=100)[1]), put("csd_median", signal.csd(a, b, nperseg=100, average="median")[1])
    put("csd_stack", signal.csd(long.reshape(3, 300), long[:300], nperseg=100)[1])
    put("coherence", signal.coherence(long.reshape(3, 300)[0], long[300:600], nperseg=32)[1])


def peaks(line, long):
    put("medfilt", signal.medfilt(line, 5)), put("medfilt2", signal.medfilt(long[:60].reshape(6, 10), [3, 5]))
    put("peaks_line", line), put("peaks_steps", np.round(long / 2))
    for name, x in {"line": line, "steps": np.round(long / 2)}.items():
        p, found = signal.find_peaks(x, height=(-0.5, None), threshold=(0.1, 40), prominence=0.3, width=0.5, plateau_size=1)
        put(f"peaks_{name}_all", p)
        for key, value in found.items():
            put(f"peaks_{name}_all_{key}", value)
        put(f"peaks_{name}_plain", signal.find_peaks(x)[0])
        put(f"peaks_{name}_far", signal.find_peaks(x, distance=7)[0])
        p, found = signal.find_peaks(x, prominence=(0.5, 6), wlen=12, width=(1, 9), rel_height=0.8)
        put(f"peaks_{name}_near", p), put(f"peaks_{name}_near_widths", found["widths"])
        put(f"peaks_{name}_flat", signal.find_peaks(x, plateau_size=(2, None))[0])
        all = signal.find_peaks(x)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            put(f"peaks_{name}_prominences", signal.peak_prominences(x, all)[0])
            put(f"peaks_{name}_widths", np.stack(signal.peak_widths(x, all, 0.3)))
    image = np.round(long[:60] / 3).reshape(5, 12)
    for name, compare in {"greater": np.greater, "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal}.items():
        for axis in (0, 1):
            for order in (1, 2):
                put(f"argrel_{name}_{axis}_{order}", np.stack(signal.argrelextrema(image, compare, axis=axis, order=order)))


def waves(image, z):
    for name, call in {"dct": fft.dct, "idct": fft.idct, "dst": fft.dst, "idst": fft.idst}.items():
        for kind in (1, 2, 3, 4):
            for norm in ("backward", "ortho", "forward"):
                for n in (2, 3, 8, 9, 61):
                    put(f"{name}_{kind}_{norm}_{n}", call(image[:1 if n == 61 else 2], type=kind, n=n, norm=norm))
            put(f"{name}_{kind}_columns", call(image, type=kind, axis=0, n=6))
            put(f"{name}_{kind}_complex", call(z[:1], type=kind))
    for name, call in {"dctn": fft.dctn, "idctn": fft.idctn, "dstn": fft.dstn, "idstn": fft.idstn}.items():
        put(name, call(image[:, :7].reshape(3, 7), type=2, norm="ortho")), put(f"{name}_some", call(image, type=4, s=(2, 5), axes=(0, 1)))
    c = z[:, :8].reshape(2, 2, 4)
    for name in ("hfft2", "ihfft2", "hfftn", "ihfftn"):
        for norm in ("backward", "ortho"):
            put(f"{name}_{norm}", getattr(fft, name)(c if name[0] == "h" else c.real, norm=norm))


def main():
    line, image, z, long = inputs()
    designs()
    windows()
    filters(line, image, z)
    savgol(line, image, z)
    rates(line, image, z)
    spectra(line, image, z, long)
    peaks(line, long)
    waves(image, z)
    here = pathlib.Path(__file__).parent
    groups = {"designs": ("butter", "cheby", "ellip", "firwin", "tf2zpk", "window_"),
              "waves": ("dct", "idct", "dst", "idst", "hfft", "ihfft"),
              "spectra": ("welch", "periodogram", "spectrogram", "stft", "istft", "csd", "coherence")}
    left = dict(ARRAYS)
    for group, begins in groups.items():
        own = {key: left.pop(key) for key in list(left) if key.startswith(begins)}
        np.savez_compressed(here / f"{group}.npz", **own)
    np.savez_compressed(here / "signals.npz", **left)


if __name__ == "__main__":
    main()
