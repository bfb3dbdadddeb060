"""Writes src/guide/coverage.md from names.json, mapping.toml and the sources.

    python3 tools/coverage/page.py            writes the page
    python3 tools/coverage/page.py --check    says whether the page is what it would write

Both print the names that mapping.toml says nothing of, and those that it calls missing though they
are there: a person looks whether they do the same, and writes or takes out their lines.

A name that the sources have as well, where its section looks for it, is taken as it is; mapping.toml
names all others and overrides. Nothing but Python 3.11 is needed.
"""

import json
import pathlib
import sys
import tomllib

import sources

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "src/guide/coverage.md"

# Each section: title, what looks for the names, sections whose mapping holds as well, and the words
# under the title.
SECTIONS = {
    "array_api": (
        "The Array API standard {array_api}", ["DeviceArray::", "", "linalg::"],
        ["numpy", "numpy.linalg"],
        "Every function of the standard, its extensions `linalg` and `fft`, the inspection of the"
        " namespace and the comparison of element types included.",
    ),
    "numpy": (
        "NumPy's main namespace", ["DeviceArray::", "", "linalg::"], [],
        "The functions and ufuncs of `numpy.__all__`: no types, constants or instances such as"
        " `mgrid`, and none of {left_out} names that are about Python or about NumPy itself"
        " (printing, error states, calendars, Python's objects, earlier names of others).",
    ),
    "numpy.linalg": ("`numpy.linalg`", ["DeviceArray::", "linalg::"], ["numpy"], "Its functions."),
    "numpy.fft": ("`numpy.fft`", ["fft::"], [], "Its functions."),
    "numpy.random": (
        "`numpy.random.Generator`", ["random::Generator::"], [],
        "Its methods are those of [`random::Generator`](crate::random::Generator). A seed gives other"
        " numbers than NumPy's.",
    ),
    "scipy.special": (
        "`scipy.special`", ["special::"], [],
        "What CuPy lists of it. Here functions take real numbers; users' functions call those in"
        " [`special::device`](crate::special::device).",
    ),
    "scipy.ndimage": (
        "`scipy.ndimage`", ["ndimage::"], [],
        "What CuPy lists of it. Binary functions take `bool`, and those that measure regions take"
        " the labels that are asked for.",
    ),
    "scipy.signal": (
        "`scipy.signal`", ["signal::"], [], "What CuPy lists of it, windows included.",
    ),
    "scipy.fft": ("`scipy.fft`", ["fft::"], ["numpy.fft"], "What CuPy lists of it."),
    "scipy.stats": (
        "`scipy.stats`", ["stats::", "DeviceArray::"], [],
        "What CuPy lists of it, and SciPy's summary statistics and commonest tests. Distributions"
        " are left out.",
    ),
    "scipy.interpolate": (
        "`scipy.interpolate`", ["interpolate::", ""], [], "What CuPy lists of it.",
    ),
    "scipy.linalg": (
        "`scipy.linalg`", ["linalg::", "DeviceArray::"], ["numpy.linalg"],
        "Its functions, but those that hand out routines of BLAS and LAPACK.",
    ),
    "scipy.sparse": (
        "`scipy.sparse`", ["sparse::"], [],
        "What CuPy lists of it and of its modules `linalg` and `csgraph`.",
    ),
    "scipy.integrate": (
        "`scipy.integrate`", ["integrate::", "ode::", "DeviceArray::"], [],
        "Its functions and methods of solution.",
    ),
}
REASONS = ("missing", "type system", "host", "out of scope")

INTRO = """\
What NumPy's and SciPy's functions are called here, and which are missing.

A script writes this page from lists of names and from the sources (`tools/coverage`), and a test
holds it true. NumPy is {numpy}, SciPy {scipy}, the standard {array_api}. In the tables stands

- ✓ where the name is the same,
- another name where there is one,
- **missing** where there is nothing yet, with what comes nearest,
- *type system* where Rust's types leave nothing to do, *host* where ndarray, the standard library or
  plain Rust does it, and *out of scope* where it does not belong here, each with a word.

A function of arrays is mostly a method: `np.sum(a, axis=0)` is `a.sum(0)`. Where NumPy takes keyword
arguments there is another method or a type of options, and what takes no `axis` there takes one, or
`..` for all, here. Nothing converts by itself: integers are [`cast`](crate::DeviceArray::cast) before
their sine is taken, and arrays of different types are brought to one by [`promote`](fn@crate::promote). A
note says what differs beyond that. What has a `try_` twin has it beside the name that is given here.
"""


def load():
    names = json.loads((HERE / "names.json").read_text())
    mapping = tomllib.loads((HERE / "mapping.toml").read_text())
    return names, mapping


def entry(mapping, section, name):
    """What the mapping says of a name: its kind, paths and note; nothing where it is not there."""
    part = mapping.get(section, {})
    for reason in REASONS:
        table = part.get(reason, {})
        if isinstance(table, str):
            table = dict.fromkeys(table.split(), "")
        if name in table:
            return reason, [], table[name]
        listed = table.get("names", "") if isinstance(table, dict) else ""
        if name in listed.split():
            return reason, [], ""
    if name in part.get("there", {}):
        paths, _, note = part["there"][name].partition("|")
        return "there", paths.split(), note.strip()
    return None


def same_name(public, owners, name):
    for owner in owners:
        path = owner + name.replace(".", "::")
        if path in public:
            return path
    return None


def find_note(mapping, section, others, name):
    """What differs for a name: by its own section, or by those whose mapping holds as well."""
    for part, key in [(section, name)] + [(other, name.split(".")[-1]) for other in others]:
        notes = mapping.get(part, {}).get("notes", {})
        if key in notes:
            return notes[key]
    return ""


def look_up(public, mapping, section, name):
    """The kind (`same`, `other` or a reason), the paths and the note of a name."""
    _, owners, others, _ = SECTIONS[section]
    plain = name.split(".")[-1]
    if name.startswith("linalg."):
        others = others[::-1]
    note = find_note(mapping, section, others, name)
    found = entry(mapping, section, name)
    if section == "array_api" and name.startswith("fft."):
        owners = ["fft::"]
    same = plain if section == "array_api" else name
    if found is None and (path := same_name(public, owners, same)):
        return "same", [path], note
    for other in others:
        found = found or entry(mapping, other, plain)
    if found is None:
        return None
    kind, paths, words = found
    if kind == "missing" and (path := same_name(public, owners, same)):
        # None of the reasons: a person looks whether it is the same, and takes it out.
        return "came", [path], words
    if kind == "there":
        unknown = [p for p in paths if p not in public]
        if unknown or not paths:
            sys.exit(f"{section} {name}: no public name {unknown}")
        kind = "same" if paths[0].split("::")[-1] == plain else "other"
    return kind, paths, note or words


def link(path):
    last = path.split("::")[-1]
    parent = path.split("::")[-2] if "::" in path else ""
    is_function = not last[0].isupper() and not parent[:1].isupper()
    macro = path in ("vectorize", "guvectorize", "reduce", "kernel", "device")
    mark = "macro@" if macro else "fn@" if is_function else ""
    return f"[`{path}`]({mark}crate::{path})"


def row(name, kind, paths, note):
    words = {"missing": "**missing**", "same": "✓ ", "other": ""}.get(kind, f"*{kind}*")
    return f"| `{name}` | {words}{', '.join(link(p) for p in paths)} | {note} |"


def tally(kinds):
    there = sum(kind in ("same", "other") for kind in kinds)
    return [len(kinds), there] + [kinds.count(reason) for reason in REASONS]


def section_text(public, mapping, names, section, unmapped):
    title, owners, _, words = SECTIONS[section]
    title = title.format(**names["versions"])
    rows, kinds = [], []
    for name in names["sections"][section]:
        found = look_up(public, mapping, section, name)
        if found is None:
            unmapped.append(f"{section} {name}")
            continue
        if found[0] == "came":
            unmapped.append(f"{section} {name}, which is missing by mapping.toml: {found[1][0]}")
        kinds.append(found[0])
        rows.append(row(name, *found))
    left_out = sum(len(v) for v in names["left_out"].values())
    total, there, *reasons = tally(kinds)
    parts = [f"{reason}: {n}" for n, reason in zip(reasons, REASONS) if n]
    count = "; ".join([f"**{there} of {total}** are there", *parts])
    lines = [f"# {title}", "", f"{words.format(left_out=left_out)} {count}.", ""]
    beyond = [n for n in names["beyond"].get(section, []) if same_name(public, owners[:1], n)]
    beyond = [n for n in beyond if n not in mapping.get(section, {}).get("not_beyond", "").split()]
    if beyond:
        links = ", ".join(link(owners[0] + n) for n in beyond)
        lines += [f"Beyond that list, by SciPy's names: {links}.", ""]
    lines += ["| name | Lazuli | note |", "| --- | --- | --- |", *rows, ""]
    return lines, [total, there, *reasons]


def page(names, mapping, public):
    unmapped, body, counts = [], [], []
    for section in SECTIONS:
        lines, count = section_text(public, mapping, names, section, unmapped)
        body += lines
        counts.append((lines[0][2:], count))
    head = ["| | names | there | missing | type system | host | out of scope |"]
    head.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for title, count in counts:
        head.append(f"| {title} | {' | '.join(map(str, count))} |")
    sums = [sum(column) for column in zip(*(count for _, count in counts))]
    head.append(f"| all | {' | '.join(map(str, sums))} |")
    intro = INTRO.format(**names["versions"])
    return "\n".join([intro, *head, "", *body]).rstrip() + "\n", unmapped


def unused(names, mapping):
    """Entries of the mapping that no list has."""
    known = {section: set(listed) for section, listed in names["sections"].items()}
    for section, part in mapping.items():
        for kind, table in part.items():
            if kind == "not_beyond":
                continue
            listed = table.split() if isinstance(table, str) else list(table)
            if isinstance(table, dict) and "names" in table:
                listed = [n for n in listed if n != "names"] + table["names"].split()
            yield from (f"{section}.{kind}: {n}" for n in listed if n not in known[section])


def main():
    names, mapping = load()
    text, unmapped = page(names, mapping, sources.names(ROOT))
    for line in (*unmapped, *unused(names, mapping)):
        print("to be mended:", line)
    if unmapped:
        sys.exit(1)
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == text else "the page is older than its sources")
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
