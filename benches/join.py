#!/usr/bin/env python3
"""Joins Lazuli's figures and the peers' by workload name into one table of ratios.

    join.py LAZULI.json PEERS.json [--markdown]

LAZULI.json: {"device": "…", "results": [{"workload", "form", "ms", "kernels", "host_us", "first_ms", "gbps"}]}
PEERS.json: as benches/peers/gpu.py and cpu.py write it.

`ratio` is the best peer's time over Lazuli's: above 1, Lazuli is ahead. A workload that Lazuli measured in several
forms has a line for each. Rows that only one side has are listed below the table. Like meets like by name: products in
TF32 are workloads of their own (`matmul@8192:tf32`), and the peers of `matmul@8192:float32` multiply as IEEE has it.
"""

import argparse
import json
import math

HEADER = [
    "workload",
    "form",
    "Lazuli ms",
    "kernels",
    "host µs",
    "GB/s",
    "best peer",
    "its ms",
    "ratio",
    "other peers, ms",
]


def number(value, digits=4):
    """Four significant digits, without an exponent."""
    if value is None or not math.isfinite(value):
        return ""
    places = 0 if value == 0 else digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):.{max(places, 0)}f}"


def group(rows):
    """Rows by workload, in the order in which the workloads first appear."""
    table = {}
    for row in rows:
        if "ms" in row:
            table.setdefault(row["workload"], []).append(row)
    return table


def line(row, peers):
    """One line of the table: a form of Lazuli's against every peer of the workload."""
    best, *others = sorted(peers, key=lambda p: p["ms"])
    return [
        row["workload"],
        row.get("form", ""),
        number(row["ms"]),
        str(row.get("kernels", "")),
        number(row.get("host_us"), 3),
        number(row.get("gbps"), 4),
        best["peer"],
        number(best["ms"]),
        f"{best['ms'] / row['ms']:.2f}",
        ", ".join(f"{p['peer']} {number(p['ms'])}" for p in others),
    ]


def show(lines, markdown):
    if markdown:
        print("| " + " | ".join(HEADER) + " |")
        print("|" + " --- |" * len(HEADER))
        for cells in lines:
            print("| " + " | ".join(cells) + " |")
        return
    widths = [max(len(cells[i]) for cells in [HEADER] + lines) for i in range(len(HEADER))]
    for cells in [HEADER] + lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())


def only_there(title, rows):
    """Says which workloads have no partner, and which could not be measured at all."""
    if rows:
        print(f"\n{title}: " + ", ".join(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lazuli", metavar="LAZULI.json")
    parser.add_argument("peers", metavar="PEERS.json")
    parser.add_argument("--markdown", action="store_true", help="a table for benches/history")
    args = parser.parse_args()
    with open(args.lazuli) as ours, open(args.peers) as theirs:
        lazuli, peers = json.load(ours), json.load(theirs)
    mine, others = group(lazuli["results"]), group(peers["results"])
    print(f"Lazuli on {lazuli.get('device', '?')}; peers on {peers.get('device', '?')}, {peers.get('when', '')}.")
    versions = ", ".join(f"{name} {version}" for name, version in peers.get("versions", {}).items())
    print(f"Peers: {versions}.\n")
    both = [workload for workload in mine if workload in others]
    lines = [line(row, others[workload]) for workload in both for row in mine[workload]]
    show(lines, args.markdown)
    behind = [cells for cells in lines if float(cells[8]) < 1]
    print(f"\n{len(lines)} lines, {len(lines) - len(behind)} ahead or level, {len(behind)} behind.")
    only_there("Behind", [f"{cells[0]} ({cells[1]}) {cells[8]}" for cells in behind])
    only_there("Only Lazuli", [workload for workload in mine if workload not in others])
    only_there("Only peers", [workload for workload in others if workload not in mine])
    failed = [
        f"{row['workload']} {row.get('peer', 'Lazuli')}"
        for side in (lazuli, peers)
        for row in side["results"]
        if "ms" not in row
    ]
    only_there("Failed", failed)


if __name__ == "__main__":
    main()
