"""Makes solutions.json: ensembles of differential equations by SciPy's solve_ivp, member by member.

Run it in this folder with NumPy and SciPy installed: python generate.py
"""

import json

import numpy as np
import scipy
from scipy.integrate import solve_ivp


def decay(p):
    return lambda t, y: [-p * y[0]]


def oscillator(p):
    return lambda t, y: [y[1], -p * y[0]]


def logistic(p):
    return lambda t, y: [p * y[0] * (1 - y[0])]


def driven(p):
    return lambda t, y: [y[1], -y[0] - 0.1 * y[1] + np.cos(p * t)]


def van_der_pol(p):
    return lambda t, y: [y[1], p * (1 - y[0] * y[0]) * y[1] - y[0]]


def lorenz(p):
    return lambda t, y: [10 * (y[1] - y[0]), y[0] * (p - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def ring(p):
    return lambda t, y: p * (np.roll(y, 1) + np.roll(y, -1) - 2 * y)


CASES = [
    # name, equation, parameters, start, interval, times that are asked for
    ("decay", decay, [0.0, 0.1, 1.0, 30.0], [2.0], (0.0, 2.0), [0.0, 0.3, 0.31, 1.7, 2.0]),
    ("oscillator", oscillator, [1.0, 4.0, 100.0], [1.0, 0.0], (0.0, 5.0), [0.1, 2.5, 4.9]),
    ("logistic", logistic, [0.5, 1.0, 10.0], [0.01], (-1.0, 9.0), [0.0, 4.0, 9.0]),
    ("driven", driven, [0.5, 1.0, 7.0], [0.0, 0.0], (1.0, 12.0), [1.5, 6.0, 11.0]),
    ("van_der_pol", van_der_pol, [0.1, 2.0, 20.0], [2.0, 0.0], (0.0, 8.0), [1.0, 3.0]),
    ("lorenz", lorenz, [10.0, 20.0, 28.0], [1.0, 2.0, 20.0], (0.0, 2.0), [0.5, 1.0, 1.5]),
    ("backward", driven, [0.5, 1.0, 7.0], [0.5, 0.1], (5.0, -3.0), [5.0, 4.0, 0.0, -3.0]),
    ("ring", ring, [0.5, 5.0], [1.0] + [0.0] * 11, (0.0, 1.5), [0.2, 1.0]),
]
TOLERANCES = [(1e-3, 1e-6), (1e-8, 1e-10)]


def solution(method, f, interval, start, times, rtol, atol):
    stages = {"RK23": 3, "RK45": 6, "DOP853": 12}[method]
    options = dict(method=method, rtol=rtol, atol=atol)
    steps = solve_ivp(f, interval, start, **options)
    asked = solve_ivp(f, interval, start, t_eval=times, **options)
    assert steps.success and asked.success
    accepted = len(steps.t) - 1
    tried, rest = divmod(steps.nfev - 2, stages)
    assert rest == 0
    return {
        "y": steps.y[:, -1].tolist(),
        "ys": asked.y.T.tolist(),
        "accepted": accepted,
        "rejected": tried - accepted,
    }


def main():
    cases = []
    for name, equation, parameters, start, interval, times in CASES:
        for method in ["RK23", "RK45", "DOP853"]:
            for rtol, atol in TOLERANCES:
                if method == "RK23" and rtol < 1e-6:
                    continue
                members = [
                    solution(method, equation(p), interval, start, times, rtol, atol)
                    for p in parameters
                ]
                cases.append({
                    "name": name, "method": method, "rtol": rtol, "atol": atol,
                    "parameters": parameters, "start": start, "interval": interval,
                    "times": times, "members": members,
                })
    result = {"numpy": np.__version__, "scipy": scipy.__version__, "cases": cases}
    with open("solutions.json", "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


main()
