"""Writes names.json: the functions that users of NumPy and SciPy know, module by module.

    python generate_names.py ARRAY_API CUPY

ARRAY_API and CUPY are clones of github.com/data-apis/array-api and github.com/cupy/cupy; NumPy and
SciPy are the installed packages. The rules, which the page repeats:

- The standard: every function of the stubs of VERSION, the extensions `linalg` and `fft`, the
  namespace's inspection and the comparison of dtypes included.
- NumPy: the functions and ufuncs of `__all__`; no types, constants or instances. Names that are
  about Python alone, and those in PYTHON, are left out.
- SciPy's special, ndimage, signal, fft, interpolate and sparse: what CuPy's documentation lists of
  them and the installed SciPy still has. Of linalg and integrate everything public but exceptions
  and modules; of stats CuPy's list and SciPy's summary statistics.
"""

import importlib
import inspect
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import scipy

VERSION = "2025_12"

# NumPy's functions that are about Python or about NumPy itself, by the reason.
PYTHON = {
    "printing and text of numbers": """array2string array_repr array_str base_repr binary_repr
        format_float_positional format_float_scientific get_printoptions printoptions
        set_printoptions""",
    "the state and the build of NumPy": """get_include getbufsize geterr geterrcall info setbufsize
        seterr seterrcall show_config show_runtime typename""",
    "calendars, of which there is no element type": """busday_count busday_offset
        datetime_as_string datetime_data is_busday isnat""",
    "Python's objects": "asmatrix bmat frompyfunc iterable nested_iters",
    "earlier names of others": "row_stack",
}

# SciPy's summary statistics, beside CuPy's list.
STATS = """describe gmean hmean pmean kurtosis mode moment expectile skew kstat kstatvar tmean tvar
    tmin tmax tstd tsem variation rankdata tiecorrect iqr sem bayes_mvs mvsdist
    differential_entropy median_abs_deviation gzscore cumfreq percentileofscore scoreatpercentile
    relfreq binned_statistic binned_statistic_2d binned_statistic_dd pearsonr spearmanr kendalltau
    linregress ttest_1samp ttest_ind ttest_rel ks_1samp ks_2samp chisquare gaussian_kde boxcox
    sigmaclip trimboth trim1""".split()


def stub_functions(clone, name):
    """The functions of a file of the standard's stubs."""
    text = show(clone, f"src/array_api_stubs/_{VERSION}/{name}.py")
    return re.findall(r"^def (\w+)", text, re.M)


def show(clone, path):
    return subprocess.run(
        ["git", "-C", clone, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True
    ).stdout


def standard(clone):
    folder = f"src/array_api_stubs/_{VERSION}/"
    listed = subprocess.run(
        ["git", "-C", clone, "ls-tree", "--name-only", "HEAD", folder],
        check=True, capture_output=True, text=True,
    ).stdout
    prefixes = {"linalg": "linalg.", "fft": "fft.", "data_types": "dtype."}
    names = []
    for path in sorted(listed.split()):
        stem = pathlib.Path(path).stem
        if not stem.startswith("__"):
            names += [prefixes.get(stem, "") + name for name in stub_functions(clone, stem)]
    return sorted(names)


def is_function(value):
    return isinstance(value, np.ufunc) or inspect.isroutine(value)


def numpy_main():
    left_out = {name for names in PYTHON.values() for name in names.split()}
    assert left_out <= set(np.__all__), left_out - set(np.__all__)
    return [n for n in sorted(np.__all__) if is_function(getattr(np, n)) and n not in left_out]


def public(module):
    """The functions and classes of a module of SciPy, without exceptions."""
    names = []
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if inspect.ismodule(value):
            continue
        if inspect.isclass(value) and issubclass(value, BaseException):
            continue
        names.append(name)
    return names


def cupy_list(clone, page):
    """The names under the summaries of a page of CuPy's documentation."""
    names, inside = [], False
    for line in show(clone, f"docs/source/reference/scipy_{page}.rst").splitlines():
        if ".. autosummary::" in line:
            inside = True
        elif inside and re.fullmatch(r"   [A-Za-z_]\w*", line):
            names.append(line.strip())
        elif line and not line.startswith(" "):
            inside = False
    return names


def as_cupy(clone, module, page=None):
    there = importlib.import_module(f"scipy.{module}")
    names = cupy_list(clone, page or module.replace(".", "_"))
    return sorted({n for n in names if hasattr(there, n) and n in set(there.__all__)})


def main(array_api, cupy):
    def prefixed(prefix, names):
        return [prefix + name for name in names]

    # An exception, what `splu` returns, and classes that others derive from.
    no_functions = {"BadCoefficients", "SuperLU", "sparray", "spmatrix"}
    signal = as_cupy(cupy, "signal") + prefixed("windows.", as_cupy(cupy, "signal.windows"))
    sparse = as_cupy(cupy, "sparse") + prefixed("linalg.", as_cupy(cupy, "sparse.linalg"))
    sparse += prefixed("csgraph.", as_cupy(cupy, "sparse.csgraph"))
    stats = importlib.import_module("scipy.stats")
    assert all(hasattr(stats, n) for n in STATS), [n for n in STATS if not hasattr(stats, n)]
    scipy_linalg = importlib.import_module("scipy.linalg")
    # Functions that hand out LAPACK's and BLAS's routines are no mathematics.
    handles = {"find_best_blas_type", "get_blas_funcs", "get_lapack_funcs"}
    generator = [m for m in dir(np.random.Generator) if m[0] != "_" and m != "bit_generator"]
    # SciPy's former interface, and classes that methods of solution derive from.
    former = {"ode", "complex_ode", "OdeSolver", "DenseOutput", "OdeSolution"}
    integrate = public(importlib.import_module("scipy.integrate"))
    sections = {
        "array_api": standard(array_api),
        "numpy": numpy_main(),
        "numpy.linalg": sorted(
            n for n in np.linalg.__all__ if not inspect.isclass(getattr(np.linalg, n))
        ),
        "numpy.fft": sorted(np.fft.__all__),
        "numpy.random": generator,
        "scipy.special": as_cupy(cupy, "special"),
        "scipy.ndimage": as_cupy(cupy, "ndimage"),
        "scipy.signal": [n for n in signal if n not in no_functions],
        "scipy.fft": as_cupy(cupy, "fft"),
        "scipy.stats": sorted(set(as_cupy(cupy, "stats")) | set(STATS)),
        "scipy.interpolate": as_cupy(cupy, "interpolate"),
        "scipy.linalg": [n for n in public(scipy_linalg) if n not in handles],
        "scipy.sparse": [n for n in sparse if n.split(".")[-1] not in no_functions],
        "scipy.integrate": [n for n in integrate if n not in former],
    }
    # All that SciPy has, so that what is there beyond CuPy's lists can be told.
    by_cupy = ("special", "ndimage", "signal", "fft", "interpolate", "stats")
    beyond = {f"scipy.{key}": public(importlib.import_module(f"scipy.{key}")) for key in by_cupy}
    beyond = {key: [n for n in names if n not in sections[key]] for key, names in beyond.items()}
    for key, names in sections.items():
        assert len(set(names)) == len(names), key
        print(f"{key}: {len(names)}")
    standard_version = VERSION.replace("_", ".")
    versions = {"array_api": standard_version, "numpy": np.__version__, "scipy": scipy.__version__}
    left_out = {reason: names.split() for reason, names in PYTHON.items()}
    data = {"versions": versions, "sections": sections, "beyond": beyond, "left_out": left_out}
    # One name a line, so that a difference of versions is read easily.
    path = pathlib.Path(__file__).with_name("names.json")
    path.write_text(json.dumps(data, indent=1) + "\n")


main(*sys.argv[1:])
