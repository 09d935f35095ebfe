#!/usr/bin/env python3
"""Turns what hlg_bench measured into a table and into bench.json.

usage: report.py RESULTS.json BENCH.json

RESULTS.json is Google Benchmark's output with every repetition in it. BENCH.json becomes a list
of {name, vocab, rows, median_us, over_read}: whether the rows come from caches or from memory,
microseconds of CPU time per row, the median over the repetitions, and how many reads of the row
that is.
"""
import json
import os
import statistics
import sys
from pathlib import Path

RIVALS = ("llama-temp-dist", "llama-default")


def times_per_row(results):
    """{(vocab, rows): {name: [microseconds per row, one per repetition]}}, in its order."""
    times = {}
    for run in sorted(results["benchmarks"], key=lambda run: run["family_index"]):
        if run.get("error_occurred"):
            raise ValueError("%s: %s" % (run["name"], run["error_message"]))
        if run["run_type"] != "iteration":
            continue
        name, vocab, rows = run["run_name"].split("/")[:3]
        of_rows = times.setdefault((int(vocab), rows), {})
        of_rows.setdefault(name, []).append(run["cpu_time"] / run["rows"])
    return times


def records(times):
    """The list that goes into bench.json."""
    out = []
    for (vocab, rows), of_rows in times.items():
        read = statistics.median(of_rows["read"])
        for name, values in of_rows.items():
            median = statistics.median(values)
            out.append({"name": name, "vocab": vocab, "rows": rows,
                        "median_us": round(median, 3), "over_read": round(median / read, 3)})
    return out


def spread(values):
    """The middle half of the repetitions, as a part of their median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / middle


def table(times):
    """Per set of rows: the median, its ratio to a read, and how much faster than two rivals."""
    head = "%-18s %10s %8s %8s" % ("%s, %s", "us", "spread", "x read")
    head += "".join("  %18s" % ("vs " + name) for name in RIVALS)
    lines = []
    for (vocab, rows), of_rows in times.items():
        lines += ["", (head % (format(vocab, ","), rows)).rstrip()]
        median = {name: statistics.median(values) for name, values in of_rows.items()}
        for name, values in of_rows.items():
            line = "%-18s %10.1f %7.0f%% %8.2f" % (
                name, median[name], 100 * spread(values), median[name] / median["read"])
            line += "".join("  %17.2fx" % (median[rival] / median[name]) for rival in RIVALS)
            lines.append(line)
    return "\n".join(lines[1:])


def write(path, data):
    """Writes beside the path and renames."""
    part = Path(str(path) + ".part")
    lines = ",\n  ".join(json.dumps(record) for record in data)
    part.write_text("[\n  %s\n]\n" % lines)
    os.replace(part, path)


def main(args):
    if len(args) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        times = times_per_row(json.loads(Path(args[0]).read_text()))
        write(args[1], records(times))
    except (OSError, ValueError) as error:
        print("hlg: " + str(error), file=sys.stderr)
        return 1
    print(table(times))
    print("\nus: CPU time per row, the median of the repetitions; spread: their middle half; "
          "x read: in\nreads of the row; vs: times faster than that chain")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
