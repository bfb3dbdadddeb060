"""Makes solutions.json, stiff.json and events.json: ensembles of differential equations by SciPy's
solve_ivp, member by member.

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


def robertson(p):
    return lambda t, y: [
        -0.04 * y[0] + p * y[1] * y[2],
        0.04 * y[0] - p * y[1] * y[2] - 3e7 * y[1] * y[1],
        3e7 * y[1] * y[1],
    ]


def hires(p):
    def slopes(t, y):
        met = p * y[5] * y[7]
        return [
            -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
            1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
            8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -met + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
            met - 1.81 * y[6],
            -met + 1.81 * y[6],
        ]
    return slopes


def oregonator(p):
    return lambda t, y: [
        77.27 * (y[1] + y[0] * (1 - p * y[0] - y[1])),
        (y[2] - (1 + y[0]) * y[1]) / 77.27,
        0.161 * (y[0] - y[2]),
    ]


def prothero_robinson(p):
    return lambda t, y: [-p * (y[0] - np.cos(t)) - np.sin(t)]


def falling(p):
    return lambda t, y: [y[1], -9.81 - p * y[1]]


# Stiff equations: name, equation, parameters, start, interval, times, absolute tolerances.
STIFF = [
    ("robertson", robertson, [1e3, 1e4, 1e5], [1.0, 0.0, 0.0], (0.0, 1e6), [1e-3, 0.4, 40.0, 1e5], 1e-16),
    ("van_der_pol", van_der_pol, [300.0, 1000.0, 3000.0], [2.0, 0.0], (0.0, 1500.0), [1.0, 700.0, 1500.0], 1e-13),
    ("hires", hires, [28.0, 280.0], [1.0] + [0.0] * 6 + [0.0057], (0.0, 321.8122), [5.0, 321.8122], 1e-15),
    ("oregonator", oregonator, [8.375e-6, 1e-5], [1.0, 2.0, 3.0], (0.0, 30.0), [5.0, 20.0, 30.0], 1e-13),
    ("prothero_robinson", prothero_robinson, [1.0, 1e3, 1e6], [1.5], (0.0, 2.0), [1e-3, 1.0, 2.0], 1e-14),
]


def position(t, y):
    return y[0]


def speed(t, y):
    return y[1]


def late(t, y):
    return t - 1.25


# Events: name, equation, parameters, start, interval, functions with directions and whether they end.
EVENTS = [
    ("thrown", falling, [0.0, 0.1, 2.0], [0.0, 12.0], (0.0, 9.0),
     [(speed, 0, False), (position, -1, True), (late, 1, False)]),
    ("oscillator", oscillator, [0.25, 1.0, 9.0], [1.0, 0.0], (0.0, 7.0),
     [(position, 0, False), (position, 1, False), (position, -1, False), (speed, 0, False)]),
    ("oscillator", oscillator, [0.25, 1.0, 9.0], [1.0, 0.5], (7.0, 0.0),
     [(position, -1, False), (late, 0, True), (speed, 0, True)]),
]


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


def stiff():
    cases = []
    for name, equation, parameters, start, interval, times, atol in STIFF:
        members = []
        for p in parameters:
            found = solve_ivp(
                equation(p), interval, start, method="LSODA", rtol=1e-12, atol=atol, t_eval=times
            )
            assert found.success
            members.append(found.y.T.tolist())
        cases.append({
            "name": name, "parameters": parameters, "start": start, "interval": interval,
            "times": times, "members": members,
        })
    return cases


def events():
    cases = []
    for name, equation, parameters, start, interval, watched in EVENTS:
        functions = []
        for function, direction, terminal in watched:
            functions.append(lambda t, y, function=function: function(t, y))
            functions[-1].direction, functions[-1].terminal = direction, terminal
        members = []
        for p in parameters:
            found = solve_ivp(
                equation(p), interval, start, method="DOP853", rtol=1e-12, atol=1e-13,
                events=functions,
            )
            members.append({
                "status": found.status, "t": found.t[-1], "y": found.y[:, -1].tolist(),
                "times": [times.tolist() for times in found.t_events],
                "states": [states.tolist() for states in found.y_events],
            })
        events = [[f.__name__, direction, terminal] for f, direction, terminal in watched]
        cases.append({
            "name": name, "parameters": parameters, "start": start, "interval": interval,
            "events": events, "members": members,
        })
    return cases


def write(name, cases):
    result = {"numpy": np.__version__, "scipy": scipy.__version__, "cases": cases}
    with open(name, "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


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
    write("solutions.json", cases)
    write("stiff.json", stiff())
    write("events.json", events())


main()
