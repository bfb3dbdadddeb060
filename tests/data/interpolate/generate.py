"""Writes what SciPy's interpolants give, for tests/it/interpolate.rs: cases.json."""

import json
from pathlib import Path

import numpy as np
from scipy import interpolate as ip

rng = np.random.default_rng(7)
cases = []


def case(name, x, y, f, **more):
    inside = np.sort(rng.uniform(x[0], x[-1], 9))
    at = np.concatenate([inside, x[:3], x[-2:], [x[0] - 0.7, x[-1] + 0.4]])
    case = {"name": name, "x": x.tolist(), "y": np.asarray(y).tolist(), "at": at.tolist(), **more}
    case["values"] = np.asarray(f(at)).tolist()
    if hasattr(f, "derivative"):
        case["slopes"] = np.asarray(f.derivative(1)(at)).tolist()
    if hasattr(f, "antiderivative") and more.get("boundary") != "periodic":
        case["areas"] = np.asarray(f.antiderivative()(at)).tolist()
    if hasattr(f, "integrate"):
        case["integral"] = np.asarray(f.integrate(x[0] - 0.3, x[-1] + 5.5)).tolist()
    cases.append(case)


for n in (2, 3, 4, 8):
    x = np.cumsum(rng.uniform(0.2, 1.5, n))
    for y in [rng.normal(size=n)] + [rng.normal(size=(n, 2))] * (n == 8):
        for boundary in ("not-a-knot", "natural", "clamped"):
            case("cubic", x, y, ip.CubicSpline(x, y, bc_type=boundary), boundary=boundary)
        both = ((1, np.full(y.shape[1:], 0.5)), (1, np.full(y.shape[1:], -2.0)))
        case("cubic", x, y, ip.CubicSpline(x, y, bc_type=both), boundary="slopes")
        both = ((2, np.full(y.shape[1:], 0.5)), (2, np.full(y.shape[1:], -2.0)))
        case("cubic", x, y, ip.CubicSpline(x, y, bc_type=both), boundary="curvatures")
        round_trip = y.copy()
        round_trip[-1] = round_trip[0]
        case("cubic", x, round_trip, ip.CubicSpline(x, round_trip, bc_type="periodic"), boundary="periodic")
        case("pchip", x, y, ip.PchipInterpolator(x, y, extrapolate=True))
        case("akima", x, y, ip.Akima1DInterpolator(x, y, extrapolate=True))
        dydx = rng.normal(size=y.shape)
        case("hermite", x, y, ip.CubicHermiteSpline(x, y, dydx), dydx=dydx.tolist())
        for k in (1, 2, 3, 5):
            if n > k:
                case("spline", x, y, ip.make_interp_spline(x, y, k=k), degree=k)
flat = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 0.0, -2.0])
x = np.arange(7.0)
case("pchip", x, flat, ip.PchipInterpolator(x, flat, extrapolate=True))
case("akima", x, flat, ip.Akima1DInterpolator(x, flat, extrapolate=True))

grids = []
for shape, behind in [((4,), ()), ((3, 5), ()), ((2, 3, 4), ()), ((3, 4), (2,))]:
    lines = [np.cumsum(rng.uniform(0.2, 1.5, n)) for n in shape]
    values = rng.normal(size=shape + behind)
    places = [rng.uniform(line[0] - 0.3, line[-1] + 0.3, 20) for line in lines]
    for k, line in enumerate(lines):
        places[k][:2] = line[0], line[-1]
    for method in ("linear", "nearest"):
        for fill in (np.nan, None):
            f = ip.RegularGridInterpolator(lines, values, method=method, bounds_error=False, fill_value=fill)
            got = f(np.stack(places, -1))
            grids.append({
                "lines": [line.tolist() for line in lines], "shape": list(values.shape),
                "values": values.ravel().tolist(), "places": [p.tolist() for p in places],
                "method": method, "extrapolates": fill is None,
                "got": [None if np.isnan(v) else v for v in got.ravel().tolist()],
            })
path = Path(__file__).parent / "cases.json"
path.write_text(json.dumps({"lines": cases, "grids": grids}, separators=(",", ":")))
