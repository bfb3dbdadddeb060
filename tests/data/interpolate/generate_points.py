"""Writes what SciPy's polynomials and interpolants of scattered points give, for tests/it/scattered.rs: points.json."""

import json
from pathlib import Path

import numpy as np
from scipy import interpolate as ip

rng = np.random.default_rng(8)
polynomials, scattered = [], []

for n, behind in ((2, ()), (6, ()), (11, (2,))):
    x = np.cos(np.pi * (np.arange(n) + 0.5) / n) * 2 + 0.3
    x = x[rng.permutation(n)]
    y = rng.normal(size=(n,) + behind)
    at = np.concatenate([rng.uniform(-2, 2.5, 5), x[:2], [3.1]])
    krogh = ip.KroghInterpolator(x, y)
    polynomials.append({
        "x": x.tolist(), "y": y.tolist(), "at": at.tolist(), "values": ip.BarycentricInterpolator(x, y)(at).tolist(),
        "krogh": krogh(at).tolist(), "slopes": krogh.derivative(at, 1).tolist(), "curves": krogh.derivative(at, 2).tolist()})
x = np.array([0.0, 0.0, 0.0, 1.5, 1.5, 2.0, -1.0])
y = rng.normal(size=(7, 2))
krogh, at = ip.KroghInterpolator(x, y), np.array([[-0.5, 0.0, 0.7], [1.5, 2.0, 2.2]])
polynomials.append({
    "x": x.tolist(), "y": y.tolist(), "at": at.tolist(), "krogh": krogh(at).tolist(),
    "slopes": krogh.derivative(at, 1).tolist(), "curves": krogh.derivative(at, 2).tolist()})

KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric",
           "inverse_quadratic", "gaussian")
for d, n, behind in ((1, 7, ()), (2, 12, ()), (3, 14, (2,))):
    points = rng.uniform(-1, 2, (n, d))
    values = rng.normal(size=(n,) + behind)
    at = np.concatenate([rng.uniform(-1, 2, (4, d)), points[:2]])
    case = {"points": points.tolist(), "values": values.tolist(), "at": at.tolist(),
            "nearest": values[((at[:, None] - points) ** 2).sum(-1).argmin(-1)].tolist()}
    if d > 1:
        case["nearest"] = ip.NearestNDInterpolator(points, values)(at).tolist()
    for kernel in KERNELS:
        for smoothing in (0.0, 0.3):
            f = ip.RBFInterpolator(points, values, kernel=kernel, epsilon=1.0 if kernel in KERNELS[:4] else 1.7, smoothing=smoothing)
            case[f"{kernel}_{smoothing}"] = f(at).tolist()
    scattered.append(case)
splines = []
for k, inner, behind in ((0, [0.4], ()), (1, [0.3, 0.6], ()), (3, [0.25, 0.5, 0.5, 0.8], ()), (5, [0.5], (2,))):
    x = np.sort(rng.uniform(0, 1, 40))
    x[0], x[-1], x[20] = 0.0, 1.0, x[19]
    y, w = rng.normal(size=(40,) + behind), rng.uniform(0.5, 2, 40)
    t = np.concatenate([[0.0] * (k + 1), inner, [1.0] * (k + 1)])
    at = rng.uniform(0, 1, 9)
    splines.append({
        "x": x.tolist(), "y": y.tolist(), "weights": w.tolist(), "knots": t.tolist(), "degree": k, "at": at.tolist(),
        "values": ip.make_lsq_spline(x, y, t, k)(at).tolist(), "weighted": ip.make_lsq_spline(x, y, t, k, w)(at).tolist()})
Path(__file__).with_name("points.json").write_text(json.dumps({"polynomials": polynomials, "scattered": scattered, "splines": splines}) + "\n")
