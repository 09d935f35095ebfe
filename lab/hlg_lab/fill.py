"""Tables into a Markdown file, between lines that name them:

<!-- table: NAME KEY=VALUE ... -->
<!-- end -->
"""
import re
from pathlib import Path

from . import files, investigation

MARK = re.compile(r"<!-- table: ([\w-]+)((?: [\w-]+=\S+)*) -->")
BEGIN, END = "<!-- table:", "<!-- end -->"


def table_of(mark, where, folder):
    """The lines that belong after a mark."""
    found = MARK.fullmatch(mark)
    if not found:
        raise files.Failure("%s: %s is not %s NAME KEY=VALUE ... -->" % (where, mark, BEGIN))
    arguments = dict(word.split("=", 1) for word in found[2].split())
    try:
        return ["", *investigation.table(found[1], arguments, folder).split("\n"), ""]
    except files.Failure as failure:
        raise files.Failure("%s: %s" % (where, failure)) from failure


def filled(lines, path, folder):
    """The lines with all tables renewed, and the place of the first one that was another."""
    out, different, at = [], None, 0
    while at < len(lines):
        mark = lines[at]
        out.append(mark)
        at += 1
        if not mark.startswith(BEGIN):
            continue
        where = "%s:%d" % (path, at)
        if END not in lines[at:]:
            raise files.Failure("%s: no %s after it" % (where, END))
        end, table = lines.index(END, at), table_of(mark, where, folder)
        if different is None and table != lines[at:end]:
            different = "%s: %s" % (where, mark)
        out += table
        at = end
    return out, different


def plot_paths(folder):
    return {Path(folder) / "plots" / (name + ".svg"): svg
            for name, svg in investigation.all_plots(folder).items()}


def check(path, folder):
    """Fails where a table or a plot is not what its files make it."""
    _, different = filled(files.read_text(path).split("\n"), path, folder)
    for plot, svg in plot_paths(folder).items():
        if different is None and (not plot.exists() or files.read_text(plot) != svg):
            different = str(plot)
    if different:
        raise files.Failure("%s: not what %s gives: run hlg_lab fill" % (different, folder))


def fill(path, folder):
    lines, _ = filled(files.read_text(path).split("\n"), path, folder)
    files.write_texts(".", {path: "\n".join(lines), **plot_paths(folder)})
